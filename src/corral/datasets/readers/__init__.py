"""Readers of the canonical formats, one file each.

Archives are read where they are and never unpacked, so no name in them can lead anywhere.
"""

from corral.datasets.readers.acl_imdb import read_acl_imdb
from corral.datasets.readers.crowd import read_crowd
from corral.datasets.readers.idx import read_idx
from corral.datasets.readers.sst import read_sst2, read_sst_trees
from corral.datasets.readers.svhn import read_svhn
from corral.datasets.readers.trec import read_trec
from corral.datasets.readers.votes import read_votes
from corral.datasets.readers.wrench import read_wrench
from corral.datasets.readers.yelp import read_yelp

__all__ = [
    "read_acl_imdb",
    "read_crowd",
    "read_idx",
    "read_sst2",
    "read_sst_trees",
    "read_svhn",
    "read_trec",
    "read_votes",
    "read_wrench",
    "read_yelp",
]
