"""The beginning of a report (headline and main statements) and its end (method and origin)."""

import platform
import shlex
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics.dataset import Dataset
from riskanalytics.dataset.connecting import Origin, origin_of
from riskanalytics.dataset.views import DEFAULTS, MONTHS, STORIES, Story, story_of
from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.frames.building import mapping_of
from riskanalytics.models import DISCLAIMER, UNRATED
from riskanalytics.pages import values
from riskanalytics.pages.section import Section
from riskanalytics.text.untrusted import visible_line
from riskanalytics.text.wording import listed, percent, plural
from riskanalytics.topics.shape import measured

_FILES: Final = ("portfolio", "rules", "decisions")
"""Parameters of which a page shows only the name of the file."""
_LEVELS: Final = {
    "HIGH": "the user or customer loses control of content, rights or data in a way most buyers would want to negotiate",
    "MED": "usual in the market, limited, vague, or with a control that the user has to use",
    "LOW": "the text protects the user, or rules the practice out in express words; silence is never LOW",
    "?": "a person must read clauses: the level is undetermined, or this page does not recognise it",
    UNRATED: "not read: a document is in a language that is not read, or could not be read",
    "blank": "no clause found",
}
_PROBLEMS: Final = 3
"""Maximum number of problems listed one by one."""
_VERIFIED: Final = (
    "Every clause counted as re-verified was fetched again for this page: the SHA-256 of its snapshot was compared with the "
    "recorded one, and the quote was read at its offsets (counted in characters). The page quotes the weightiest clauses. Counts "
    "of clauses include near-copies, counts of citations do not. Verification proves the words, not their interpretation: a "
    "program finds and rates clauses. Quotes are shown without their Markdown formatting, which the data keep. "
)


class Report:
    """Makes the beginning of a report (its headline) and its end (the method, and the command to reproduce the report).

    Parameters
    ----------
    notebook : str
        Name of the notebook.
    data : Dataset
        Data of the report. The page shows their day, their SHA-256 and the number of verified quotes.
    **parameters : object
        Parameters of the notebook, with the values that it used. The page shows them, with three exceptions: for `as_of`, it
        shows the day of the data; for `portfolio`, `rules` and `decisions`, only the name of the file; for `labels`, only the word
        LABELS.

    Raises
    ------
    ParameterError
        If a parameter is a negative whole number.
    """

    def __init__(self, notebook: str, data: Dataset, **parameters: object) -> None:
        for name, value in parameters.items():
            if isinstance(value, int) and value < 0:
                raise ParameterError(f"{name} must be a whole number of 0 or more, not {value}")
        self.notebook = notebook
        self.data = data
        data.views.options = {**DEFAULTS, **MONTHS.get(notebook, {}), **parameters}
        files = {name: Path(str(parameters.get(name, ""))).name for name in _FILES}
        shown = {"as_of": data.day, **files, "labels": "LABELS"}
        parameters |= {name: shown[name] for name in parameters.keys() & shown if name == "as_of" or parameters[name]}
        self.parameters = {
            name: ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            for name, value in parameters.items()
        }

    @property
    def command(self) -> str:
        """The shell command that makes the report again."""
        given = (f"-p {shlex.quote(f'{name}={value}')}" for name, value in self.parameters.items() if value)
        return " ".join([f"riskanalytics report {self.notebook}", *given, self.origin.option]).rstrip()

    @cached_property
    def origin(self) -> Origin:
        """The source of the data."""
        return Origin("Given frames") if self.data.client is None else origin_of(self.data.client)

    @cached_property
    def story(self) -> Story:
        """Content of a built-in notebook's report, made from the data: title, sentences, numbers, and which platforms it covers.

        Raises
        ------
        ReportError
            If the notebook is not a built-in one.
        """
        if self.notebook not in STORIES:
            raise ReportError(
                f"{self.notebook} is not a built-in notebook, so no title, summary sentences or key figures are known "
                "for it: give all three"
            )
        return story_of(self.notebook, self.data.views)

    def headline(self, title: str = "", sentences: Sequence[str] = (), *, name: str = "", scope: str = "") -> Section:
        """Return the beginning of the report: title, day, scope and main statements.

        Parameters
        ----------
        title : str
            If empty, title, sentences, name and scope all come from the built-in notebook, and the other arguments are ignored.
        sentences : sequence of str
            Sentences made from the data.
        name : str
            Part of the page's file name. If empty, the day of the data.
        scope : str
            A phrase that says which platforms the report covers. If empty, a count such as "3 of 320 tracked platforms".

        Returns
        -------
        Section
            Its warnings, about missing data and about quotes that did not verify, precede the sentences.
        """
        if not title:
            story = self.story
            return self.headline(story.title, story.sentences, name=story.name, scope=story.scope)
        day, checks = f"{self.data.day:%Y-%m-%d}", self.data.checks
        failed = sum(status != "verified" for status in checks.values())
        chosen, tracked = len(self.data.slugs), len(self.data.tracked)
        whole = f"{plural(tracked, 'tracked platform')}{' stored so far' if self.data.unfinished else ''}"
        scope = scope or (f"all {whole}" if chosen == tracked else f"{chosen:,} of {whole}")
        missing = self.missing()
        said = [*filter(None, [missing]), *sentences]
        facts: list[values.Words] = [f"{scope[:1].upper()}{scope[1:]} · data as of ", values.Text(day, "day")]
        clauses = plural(len(checks), "clause")
        alarm = f"{failed:,} of {clauses} did not verify. Each is marked on the page." if failed else ""
        if checks and not failed:
            facts.append(f" · {clauses} re-verified")
        parts: values.Parts = (
            values.Heading(title, 1),
            values.Paragraph(self.origin.line, "demo" if self.origin.is_demo else "meta"),
            values.Paragraph(missing, "alarm"),
            values.Paragraph(tuple(facts), "meta"),
            values.Paragraph(alarm, "alarm"),
            *(values.Paragraph(sentence, "lead") for sentence in sentences),
            values.Paragraph(DISCLAIMER, "note"),
        )
        details = {
            "title": title,
            "name": name or day,
            "description": " ".join(said),
            "lead": said[0] if said else "",
            "as_of": day,
            "source": self.origin.line,
            "data_end": "" if self.origin.is_demo else str(self.data.newest),
            "scope": scope,
            "quotes_checked": len(checks),
            "quotes_failed": failed,
            **({"incomplete": missing} if missing else {}),
        }
        return Section((values.Group(parts, "header"),), "\n".join((title, *said)), details)

    def method(self, figures: Mapping[str, object] | None = None, *frames: pd.DataFrame) -> Section:
        """Return the end of the report: definitions, accuracy, parameters, versions and the command to reproduce it.

        Parameters
        ----------
        figures : mapping
            Label -> number that the report states. By default the numbers of the built-in notebook.
        *frames : pandas.DataFrame
            Frames of the report. The SHA-256 on the page covers them, the ratings and the findings. Ignored without `figures`.
        """
        made = self.reproduction(figures, *frames)
        extraction = self.data.extraction
        steps = mapping_of(extraction.get("rating")).get("steps")
        formula: values.Part = values.Paragraph(
            "The service does not publish its rating formula. Silence never counts as low on this page."
        )
        if isinstance(steps, list) and steps:
            formula = values.Listing(tuple(map(str, steps)), ordered=True)
        parts: list[values.Part] = [
            values.Heading("What the levels mean"),
            _level_table(),
            values.Heading("How platforms are rated"),
            formula,
            values.Heading("Accuracy and limits"),
            values.Paragraph((_VERIFIED, _accuracy(extraction.get("figures")))),
        ]
        return Section((*parts, *made.parts), made.text, made.report)

    def reproduction(self, figures: Mapping[str, object] | None = None, *frames: pd.DataFrame) -> Section:
        """Return a section that shows the origin of the report, and the command to reproduce it.

        Parameters
        ----------
        figures : mapping
            Label -> number that the report states. By default the numbers of the built-in notebook.
        *frames : pandas.DataFrame
            Frames of the report. The SHA-256 on the page covers them, the ratings and the findings. Ignored without `figures`.
        """
        if figures is None:
            return self.reproduction(self.story.figures, *self.story.covered)
        versions = {
            "extraction": str(self.data.extraction.get("version") or "not given"),
            "riskanalytics": version("riskanalytics"),
            "pandas": pd.__version__,
            "plotly": version("plotly"),
            "Python": platform.python_version(),
        }
        digest = {"data of this page, SHA-256": self.data.digest(*frames)}
        given = {f"parameter {name}": value or "(empty)" for name, value in self.parameters.items()}
        counts = {name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in figures.items()}
        missing = {"incomplete": text} if (text := self.missing()) else {}
        rows = {**missing, **given, **counts, **self._readers(), **digest, **versions}
        details = {"provenance": {**digest, **versions, **given}, "counts": counts, "command": self.command, **missing}
        files = " and ".join(filter(None, (self.origin.place, *map(self.parameters.get, _FILES))))
        parts = (
            values.Heading("Origin of this page"),
            values.Table(tuple(values.Row(pair) for pair in rows.items()), style="text"),
            values.Heading("Reproduce it"),
            values.Command(self.command),
            values.Paragraph(f"Run the command in the folder of {files}, or give the path." if files else "", "note"),
        )
        return Section(parts, f"reproduced by: {self.command}", details)

    def _readers(self) -> dict[str, str]:
        """Return how many findings and stances rest on the answers of which language models; empty without any."""
        findings = self.data.findings
        readers = (frame.get("read_by", pd.Series(dtype=str)) for frame in (findings, self.data.surfaces))
        counts = (one.value_counts(sort=False).items() for one in readers)
        by, stances = ([f"{count:,} by {name}" for name, count in pairs] for pairs in counts)
        said = f"{', '.join(by)}, of {plural(len(findings), 'finding')}; the others by rules and model of the package"
        rows = {"read by language models": said if by else "", "stances by language models": ", ".join(stances)}
        return {name: words for name, words in rows.items() if words}

    def levels(self) -> Section:
        """Return a section that explains the risk levels HIGH, MED and LOW."""
        return Section((_level_table(),), "meaning of the levels")

    def missing(self) -> str:
        """Return one line on missing data: platforms not read yet, and data that could not be read; empty if nothing is missing."""
        problems = self.data.problems
        said = []
        if self.data.unfinished:
            stored = self.data.tracked["risk_reason"].fillna("")
            unread = int(stored.str.endswith("not read yet").sum())
            said.append(
                "an ingest into these data is running or was interrupted. Not read yet: "
                f"{unread:,} of {plural(len(stored), 'platform')} stored so far, and whatever is not stored."
            )
        if len(problems):
            lines = [
                f"{listed(slugs, _PROBLEMS)}: {what}" if (slugs := group.dropna().tolist()) else str(what)
                for what, group in problems.groupby("what", sort=False)["slug"]
            ]
            more = f"; and {len(lines) - _PROBLEMS:,} more (data.problems)" if len(lines) > _PROBLEMS else ""
            said.append(f"not all could be read. {visible_line('; '.join(lines[:_PROBLEMS]))}{more}.")
        return f"Incomplete: {' '.join(said)}" if said else ""


def _level_table() -> values.Table:
    """Return the meaning of the levels as a table."""
    rows = (
        values.Row((values.Level(word, short=word == UNRATED) if word.isupper() or word == "?" else word, meaning))
        for word, meaning in _LEVELS.items()
    )
    return values.Table(tuple(rows), style="text")


def _accuracy(figures: object) -> values.Words:
    """Return the accuracy of the service, or that it reports none."""
    for where, *shares in measured(figures):
        right, found = map(percent, shares)
        labelled = f"On documents that readers labelled sentence by sentence, of {where}"
        return (
            f"{labelled}, {right} of all findings shown are right, and {found} of the clauses that these readers were sure of are "
            "found. For more, run ",
            values.Text("riskanalytics report method", "code"),
            ".",
        )
    return "The service reports no accuracy on fully labelled documents: read a clause before you act on its level."
