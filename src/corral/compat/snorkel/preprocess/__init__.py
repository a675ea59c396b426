"""What is done to a row before a labeling function sees it."""

from corral.compat.snorkel.preprocess.core import (
    BasePreprocessor,
    LambdaPreprocessor,
    Preprocessor,
    preprocessor,
)

__all__ = ["BasePreprocessor", "LambdaPreprocessor", "Preprocessor", "preprocessor"]
