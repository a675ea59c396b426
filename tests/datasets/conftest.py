"""Shared by the tests of data sets: reviews that take seconds to read."""

import pytest

from corral import datasets


@pytest.fixture(scope="session")
def imdb(data):
    return datasets.load("imdb", folder=data)
