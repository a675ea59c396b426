"""What the neural end models have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from corral._types import FloatArray
from corral.checks import (
    check_choice,
    check_number,
    check_positive,
    check_share,
    make_generator,
)
from corral.end_models.soft_labels import expected_accuracy, read_soft_labels
from corral.end_models.training import (
    Schedule,
    Tensors,
    glorot,
    load_torch,
    predict_scores,
    seed_torch,
    train,
)
from corral.errors import ParameterError, StorageError
from corral.storage.content_checks import check_classes, check_floats, require
from corral.storage.versioned_file import explain_damage, read_file, write_file

CHOICES = {"output": ("sigmoid", "softmax"), "optimizer": ("adam", "adagrad")}
SCHEDULE = tuple(Schedule.__dataclass_fields__)
WEIGHTS = "weights."
"""What the names of the weights begin with in a file."""


@dataclass(eq=False, repr=False, kw_only=True)
class SoftLabelNetwork(ClassifierMixin, BaseEstimator):
    """Base of the neural end models; torch is needed for `fit` and `predict` only.

    A subclass implements `_build`, `_read` and `_tensors`. It is a dataclass: its fields
    are its options, which `SoftLabelMLP` explains, and the constructor only stores them.
    """

    whole: ClassVar[tuple[str, ...]] = ("epochs", "batch_size", "patience")
    """Options that are whole numbers above zero."""

    dropout: float = 0.0
    output: Literal["sigmoid", "softmax"] = "sigmoid"
    optimizer: Literal["adam", "adagrad"] = "adam"
    learning_rate: float = 1e-3
    epochs: int = 20
    batch_size: int = 32
    validation: float = 0.0
    patience: int = 5
    uncovered_weight: float = 0.0
    random_state: Any = None

    @abstractmethod
    def _build(self, shape: tuple[int, ...], n_outputs: int) -> Any:
        """A new network for examples of one shape."""

    @abstractmethod
    def _read(self, X: Any, fitting: bool) -> Any:
        """Features as an array (n, ...), or a sparse one; refuse what is none."""

    @abstractmethod
    def _tensors(self, X: Any) -> Tensors:
        """From positions to tensors, as the network takes them."""

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
        covered: ArrayLike | None = None,
    ) -> Self:
        """Train on soft labels.

        Parameters
        ----------
        X : (n, ...) array
            Features or images.
        y, sample_weight, classes, covered
            As for `SoftLabelClassifier.fit`.
        """
        self._check_parameters()
        labels = read_soft_labels(
            y, classes, sample_weight, covered, self.uncovered_weight
        )
        features = self._read(X, fitting=True)
        if features.shape[0] != len(labels.weights):
            raise ParameterError(
                f"{features.shape[0]} examples were given with {len(labels.weights)} "
                "labels."
            )
        if len(labels.classes) < 2:
            raise ParameterError(
                f"a classifier needs two classes; only one class came: "
                f"{labels.classes.tolist()}."
            )
        self.classes_ = labels.classes
        self._shape = tuple(int(size) for size in features.shape[1:])
        schedule = Schedule(**{name: getattr(self, name) for name in SCHEDULE})
        # Two classes and sigmoids: one output, the probability of the second.
        targets = labels.probabilities[:, -self._n_outputs :]
        with seed_torch(int(self._rng().integers(2**63))):
            self.module_ = glorot(self._build(self._shape, self._n_outputs))
            self.history_ = train(
                self.module_,
                self._tensors(features),
                targets,
                labels.weights,
                self.output,
                schedule,
            )
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities (n, k) in the order of `classes_`.

        Sigmoids of more than two classes are divided by their sum.
        """
        scores = self.logits(X)
        if self.output == "softmax":
            return softmax(scores, axis=1)
        if self._n_outputs == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        # As a softmax of logarithms, which do not become zero where all sigmoids do.
        return softmax(-np.logaddexp(0, -scores), axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class values (n,)."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def score(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Share of the examples classified right; expected, where labels are soft.

        As for `SoftLabelClassifier.score`.
        """
        predicted = self.predict_proba(X).argmax(axis=1)
        return expected_accuracy(predicted, y, self.classes_, sample_weight)

    def logits(self, X: Any) -> FloatArray:
        """What the network gives before sigmoid or softmax, one column an output.

        With sigmoids and two classes there is one, for the second.
        """
        check_is_fitted(self)
        features = self._read(X, fitting=False)
        return predict_scores(self.module_, self._tensors(features), features.shape[0])

    @property
    def _n_outputs(self) -> int:
        k = len(self.classes_)
        return 1 if k == 2 and self.output == "sigmoid" else k

    def _rng(self) -> np.random.Generator:
        return make_generator(self.random_state)

    def _check_parameters(self) -> None:
        for name, allowed in CHOICES.items():
            check_choice(name, getattr(self, name), allowed)
        for name in self.whole:
            check_positive(name, getattr(self, name))
        for name in ("dropout", "validation"):
            check_share(name, getattr(self, name), "from 0 to below 1")
        check_number("learning_rate", self.learning_rate)

    # -- files ----------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the trained network to a file; no pickle."""
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        seed = parameters["random_state"]
        # A generator has moved on, so it cannot be given back.
        parameters["random_state"] = int(seed) if isinstance(seed, Integral) else None
        names = getattr(self, "feature_names_in_", np.empty(0, str)).astype(str)
        classes = self.classes_.tolist()
        if {type(value) for value in classes} not in ({str}, {int}, {float}, {bool}):
            raise StorageError(
                f"classes must be text or numbers to be saved; these are {classes}."
            )
        arrays = {
            "classes": np.array(classes),
            "history": self.history_,
            "names": names,
        }
        for name, tensor in self.module_.state_dict().items():
            arrays[f"{WEIGHTS}{name}"] = tensor.numpy()
        settings = {"parameters": parameters, "shape": self._shape}
        write_file(path, type(self).__name__, settings, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a network that `save` wrote; it predicts the same."""
        settings, arrays = read_file(path, cls.__name__)
        load_torch()  # without it, nothing is wrong with the file
        with explain_damage(path):
            return cls._restore(settings, arrays)

    @classmethod
    def _restore(cls, settings: dict[str, Any], arrays: dict[str, Any]) -> Self:
        torch = load_torch()
        parameters: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings["parameters"].items()
        }
        made = cls(**parameters)
        made._check_parameters()
        made.classes_, made.history_ = arrays["classes"], arrays["history"]
        check_classes(made.classes_, len(made.classes_))
        made._shape = tuple(settings["shape"])
        if len(made._shape) == 1:
            made.n_features_in_ = made._shape[0]
        if len(arrays["names"]):
            made.feature_names_in_ = arrays["names"].astype(object)
            require(made.feature_names_in_.shape == made._shape, "a name a feature")
        weights = {
            name.removeprefix(WEIGHTS): array
            for name, array in arrays.items()
            if name.startswith(WEIGHTS)
        }
        for name, array in weights.items():
            require(array.dtype == np.float32, f"single precision in {name}")
            check_floats(name, array, (None,) * array.ndim)
        # On "meta" a network has shapes only: those of the file take no memory, and one
        # that does not fit them is refused.
        with torch.device("meta"):
            made.module_ = made._build(made._shape, made._n_outputs)
        state = {name: torch.as_tensor(array) for name, array in weights.items()}
        made.module_.load_state_dict(state, assign=True)
        made.module_.eval()
        return made
