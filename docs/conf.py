"""How Sphinx makes a site of these pages; `make site` builds it."""

import re
from typing import Any

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
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]


def keep_options_whole(
    _app: object, _page: str, _template: str, context: dict[str, Any], _tree: object
) -> None:
    """Let no line of an example end between the dashes of an option and its name."""
    context["body"] = re.sub(
        r"<pre>.*?</pre>",
        lambda example: re.sub(
            r"(?<![\w-])(--[a-z][a-z-]*)", r'<span class="option">\1</span>', example[0]
        ),
        context.get("body", ""),
        flags=re.DOTALL,
    )


def setup(app: Sphinx) -> None:
    """Show the cases of measures.md as they stand, and no option in two halves."""
    app.add_lexer("case", TextLexer)
    app.connect("html-page-context", keep_options_whole)
