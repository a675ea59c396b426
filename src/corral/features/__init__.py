"""Numbers that end models learn from: averaged word vectors, normalised images.

Words weighted by how rare they are, the light choice for text, are scikit-learn's
`TfidfVectorizer`.
"""

from corral.features.cleaning import clean_text
from corral.features.images import normalise_images
from corral.features.vector_file import VectorFile, open_vectors
from corral.features.word_vectors import WordVectors

__all__ = [
    "VectorFile",
    "WordVectors",
    "clean_text",
    "normalise_images",
    "open_vectors",
]
