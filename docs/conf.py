"""Sphinx settings."""

from docutils import nodes

from corral import __version__

project = "corral"
author = "the corral developers"
copyright = "2026, the corral developers"
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",  # formulas without a network
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "**.ipynb"]
templates_path = ["_templates"]

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings give types and shapes
numpydoc_show_class_members = False  # the template lists them
default_role = "autolink"

# What is copied has neither prompts nor output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"corral {release}"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_copy_source = False
html_show_sphinx = False


def strip_last_lines(_app, doctree):
    """Examples end with a blank line, which ends them for doctest; readers need none."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource = text
        block.children = [nodes.Text(text)]


def setup(app):
    app.connect("doctree-read", strip_last_lines)
