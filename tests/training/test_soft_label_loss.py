"""The loss of soft labels, in a loop of torch and in a Hugging Face Trainer."""

import numpy as np
import pytest

from corral.errors import ParameterError
from corral.training import soft_label_loss

torch = pytest.importorskip("torch", reason="torch is an extra")


@pytest.fixture
def batch():
    rng = np.random.default_rng(0)
    scores = torch.tensor(rng.normal(size=(8, 3)), requires_grad=True)
    return scores, torch.tensor(rng.dirichlet(np.ones(3), 8))


def test_it_is_the_cross_entropy_of_torch(batch):
    scores, labels = batch
    expected = torch.nn.functional.cross_entropy(scores, labels)
    assert soft_label_loss(scores, labels).item() == pytest.approx(expected.item())
    hard = torch.nn.functional.one_hot(labels.argmax(dim=1), 3).double()
    plain = torch.nn.functional.cross_entropy(scores, labels.argmax(dim=1))
    assert soft_label_loss(scores, hard).item() == pytest.approx(plain.item())


@pytest.mark.parametrize("nothing", [0.0, float("nan")])
def test_rows_without_a_label_are_left_out(batch, nothing):
    scores, labels = batch
    labels[2:5] = nothing
    kept = [0, 1, 5, 6, 7]
    expected = soft_label_loss(scores[kept], labels[kept])
    found = soft_label_loss(scores, labels)
    assert found.item() == pytest.approx(expected.item())
    found.backward()
    assert not scores.grad[2:5].any()
    labels[:] = nothing
    assert soft_label_loss(scores, labels).item() == 0


def test_whatever_a_model_returns(batch):
    from types import SimpleNamespace

    scores, labels = batch
    for outputs in ({"logits": scores}, (scores, None), SimpleNamespace(logits=scores)):
        assert soft_label_loss(outputs, labels) == soft_label_loss(scores, labels)


def test_batches_of_one_step_add_up(batch):
    """As a Trainer counts: all numbers in the labels of all batches."""
    scores, labels = batch
    parts = [
        soft_label_loss(scores[rows], labels[rows], num_items_in_batch=labels.numel())
        for rows in (slice(0, 3), slice(3, 8))
    ]
    whole = soft_label_loss(scores, labels)
    assert sum(parts).item() == pytest.approx(whole.item())


def test_hard_labels_are_refused(batch):
    scores, labels = batch
    with pytest.raises(ParameterError, match=r"\(8,\) and \(8, 3\)"):
        soft_label_loss(scores, labels.argmax(dim=1))
