"""Sphinx settings."""

from importlib.metadata import version as installed_version

project = "corral"
author = "the corral developers"
copyright = "2026, the corral developers"
version = release = installed_version("corral")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",  # formulas without a network
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings give types and shapes
numpydoc_show_class_members = False  # the template lists them
default_role = "autolink"

html_theme = "furo"
html_title = f"corral {release}"
html_copy_source = False
html_show_sphinx = False
