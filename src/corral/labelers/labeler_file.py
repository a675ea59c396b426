"""A fitted labeler as a file: what labels new votes, and nothing of the data."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import Any, TypeVar

from numpy.typing import NDArray

from corral._types import IntArray
from corral.errors import StorageError
from corral.signals import WeakSignals
from corral.signals.signal_data import Kind, SignalData
from corral.storage.content_checks import (
    check_classes,
    check_coding,
    check_columns,
    require,
)
from corral.storage.dataclass_encoding import decode, encode, require_fit
from corral.storage.versioned_file import (
    explain_damage,
    read_file,
    read_kind,
    write_file,
)

T = TypeVar("T")


@dataclass(frozen=True)
class SignalsFittedOn:
    """What a labeler knows of the signals it was fitted on, without their votes.

    Attributes
    ----------
    kind : Kind
    names : tuple of str
    named : bool
        Whether new signals are matched by name.
    classes : (k,) array
    columns : (c, 2) array of int
        Signal and label column of every stored column.
    n_label_columns : int
    abstain : scalar, tuple or None
        What was said to mean no vote.
    normalise : bool
    """

    kind: Kind
    names: tuple[str, ...]
    named: bool
    classes: NDArray[Any]
    columns: IntArray
    n_label_columns: int
    abstain: Any
    normalise: bool

    @classmethod
    def of(cls, signals: WeakSignals) -> SignalsFittedOn:
        """Those of signals."""
        return cls(
            signals.kind,
            signals.names,
            signals.named,
            signals.classes,
            signals.columns,
            signals.n_label_columns,
            signals._data.abstain,
            signals._data.normalise,
        )

    def signals(self) -> WeakSignals:
        """Signals of the same kind that have no examples; refused if they make none."""
        m, columns = len(self.names), self.n_label_columns
        require(m and len(set(self.names)) == m, "a different name for every signal")
        check_classes(self.classes, columns)
        check_coding(vars(self))
        check_columns(self.columns, m, columns)
        stored = SignalData(
            self.kind,
            self.classes,
            n_signals=m,
            n_label_columns=columns,
            columns=self.columns,
            abstain=self.abstain,
            normalise=self.normalise,
        )
        return WeakSignals(stored, self.names if self.named else None)


_PARTS = {"signals": SignalsFittedOn, "options": dict, "results": dict, "model": Any}


def _known(cls: Any) -> dict[str, type]:
    return {kind.__name__: kind for kind in (SignalsFittedOn, *cls.stored_types)}


def save_labeler(labeler: Any, path: str | PathLike[str]) -> None:
    """Write a fitted labeler."""
    arrays: dict[str, NDArray[Any]] = {}
    values = {
        "signals": SignalsFittedOn.of(labeler._like_),
        "options": labeler._options_to_save(),
        "results": labeler._results_to_save(),
        "model": labeler._model_to_save(),
    }
    known, name = _known(type(labeler)), type(labeler).__name__
    try:
        settings = {key: encode(x, arrays, known, key) for key, x in values.items()}
    except TypeError as error:
        raise StorageError(f"cannot save this {name}: {error}.") from error
    write_file(path, name, settings, arrays)


def load_labeler(cls: type[T], path: str | PathLike[str]) -> T:
    """Read what `save_labeler` wrote: a labeler of class `cls`, or of one below it."""
    kind = read_kind(path)
    if kind != cls.__name__:
        found = getattr(import_module("corral.labelers"), kind, None)
        if not (isinstance(found, type) and issubclass(found, cls)):
            raise StorageError(
                f"{str(path)!r} holds a {kind!r:.80}, not a {cls.__name__!r}."
            )
        cls = found
    settings, arrays = read_file(path, kind)
    with explain_damage(path):
        labeler: T = _build(cls, settings, arrays)
        return labeler


def _build(cls: Any, settings: dict[str, Any], arrays: dict[str, Any]) -> Any:
    known, saved_attributes = _known(cls), cls.saved_attributes
    signals, options, results, model = (
        decode(settings[part], arrays, known, part, hint)
        for part, hint in _PARTS.items()
    )
    labeler = cls(**options)
    labeler._check_parameters()
    require(results.keys() == saved_attributes.keys(), "what such a labeler learns")
    for name, value in results.items():
        require_fit(value, saved_attributes[name], f"results.{name}")
    like = signals.signals()
    labeler._like_ = like
    labeler.classes_, labeler.signal_names_ = like.classes, like.names
    labeler.n_features_in_ = like.n_signals
    labeler._restore(results, model)
    return labeler
