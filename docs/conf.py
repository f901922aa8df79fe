"""How Sphinx makes a site of these pages; `make site` builds it."""

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

project = "segscore"
author = "the segscore authors"
copyright = "2026, the segscore authors"  # noqa: A001  (Sphinx's name)

extensions = ["myst_parser", "sphinx_copybutton"]
# Of a console or a Python session, what was typed is copied, without prompts and output.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
myst_heading_anchors = 3
nitpicky = True
smartquotes = False  # an option's two dashes are two dashes
highlight_language = "none"

html_theme = "furo"
html_title = "segscore"
html_use_index = False
html_show_sourcelink = False
html_copy_source = False


def setup(app: Sphinx) -> None:
    """Show the cases of measures.md as they stand."""
    app.add_lexer("case", TextLexer)
