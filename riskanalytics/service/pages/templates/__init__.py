"""Templates of pages and files: HTML is escaped, Markdown escapes names itself."""

from __future__ import annotations

import functools

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape

from riskanalytics.models import document_words, stance_name, state_words
from riskanalytics.service.pages import words
from riskanalytics.service.store.records import led
from riskanalytics.surfaces import surface_name
from riskanalytics.text.untrusted import visible_lines


def template(name: str) -> Template:
    """Return a template of this folder.

    Parameters
    ----------
    name : str
    """
    return _environment().get_template(name)


def _shown(value: object) -> object:
    """Let characters that no reader sees stand as their code points; what is markup already is ours."""
    return visible_lines(value) if type(value) is str else value


@functools.cache
def _environment() -> Environment:
    """Return the templates with the words they share."""
    environment = Environment(
        loader=PackageLoader(__package__, ""),
        autoescape=select_autoescape(enabled_extensions=("html.jinja",), default_for_string=True, default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    environment.filters |= {
        "inline": words.inline,
        "quoted": words.quoted,
        "led": led,
        "title_of": surface_name,
        "mark": words.mark,
        "level_class": words.level_class,
        "stance": stance_name,
        "state": document_words,
        "known": state_words,
        "spelled": lambda word: str(word).replace("_", " "),
    }
    return environment
