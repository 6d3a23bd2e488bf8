"""The beginning and the end of a report."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import date
from hashlib import sha256
from importlib.metadata import version
from typing import Final

import pandas as pd

from riskanalytics.models import DISCLAIMER
from riskanalytics.reporting.blocks.words import plural, text
from riskanalytics.reporting.display import Block

_LEVELS: Final = (
    ("HIGH", "the user or customer loses control of content, rights or personal data in a way most buyers would want to negotiate"),
    ("MED", "usual in the market, limited, vague, or with a control that the user has to use"),
    ("LOW", "protective, or expressly excluded; a LOW clause is counter-evidence, not silence"),
    ("?", "not known: the documents could not be read, or the service gave a level that this page does not know"),
    ("blank", "read, and nothing found"),
)


def headline(
    title: str,
    sentences: Sequence[str],
    *,
    name: str,
    as_of: date,
    scope: str,
    failed: int = 0,
) -> Block:
    """Open a report: what it is, what moved, who trains on content, what could not be read.

    Parameters
    ----------
    title : str
    sentences : sequence of str
        Plain sentences made from the data.
    name : str
        What the file is named by.
    as_of : date
        Day that the data speak of.
    scope : str
        Which platforms.
    failed : int
        Quotes that did not stand at their offsets; said loudly.
    """
    alarm = ""
    if failed:
        alarm = f"<p class=alarm>{plural(failed, 'quote')} did not verify; each is marked where it is shown.</p>"
    leads = "".join(f"<p class=lead>{text(sentence)}</p>" for sentence in sentences)
    html = (
        f"<h1>{text(title)}</h1><p class=meta>{text(scope)} · data as of {as_of:%Y-%m-%d}</p>{alarm}{leads}"
        f"<p class=note>{text(DISCLAIMER)}</p>"
    )
    report = {"title": f"{title}, {as_of:%Y-%m-%d}", "name": name, "description": " ".join(sentences)}
    return Block(html, "\n".join((title, *sentences)), report)


def scope(matches: pd.DataFrame, unmatched: pd.DataFrame) -> Block:
    """Tell which rows of a portfolio were found; rows that were not are listed.

    Parameters
    ----------
    matches, unmatched : pandas.DataFrame
        As `analysis.portfolio_scope` gives them; empty without a portfolio.
    """
    if unmatched.empty:
        return Block("", f"{len(matches)} portfolio rows matched")
    rows = [", ".join(str(value) for value in row if not pd.isna(value)) for row in unmatched.itertuples(index=False)]
    listed = "".join(f"<li>{text(row)}</li>" for row in rows[:50])
    html = (
        f"<details class=keep><summary>{plural(len(rows), 'portfolio row')} matched no tracked platform</summary>"
        f"<ul>{listed}</ul></details>"
    )
    return Block(html, f"{len(rows)} portfolio rows matched no tracked platform")


def method(parameters: Mapping[str, object], *, figures: Mapping[str, object], command: str) -> Block:
    """Close a report: definitions, parameters, versions and the command that makes it again.

    Parameters
    ----------
    parameters : mapping
        Of the notebook.
    figures : mapping
        Name -> value of what identifies data and extraction.
    command : str
    """
    levels = "".join(f"<tr><th scope=row>{text(level)}</th><td>{text(meaning)}</td></tr>" for level, meaning in _LEVELS)
    told = {
        **{f"parameter {key}": value if value != "" else "(empty)" for key, value in parameters.items()},
        **figures,
        "riskanalytics": version("riskanalytics"),
        "pandas": pd.__version__,
        "plotly": version("plotly"),
        "Python": platform.python_version(),
    }
    rows = "".join(f"<tr><th scope=row>{text(key)}</th><td>{text(value)}</td></tr>" for key, value in told.items())
    html = (
        "<h3>What the levels mean</h3>"
        f"<div class=wide><table><tbody>{levels}</tbody></table></div>"
        "<h3>How a platform is rated</h3>"
        "<p>The level of a surface is that of the worst risk-raising clause which applies to a self-serve user; on "
        "training use the platform's stance decides. The rating weighs the levels of all surfaces that have one, training "
        "use and content licences most; silence never counts as low. Every rule that decided is named beside its finding.</p>"
        "<p>Every quote on this page was fetched again when the page was made: its snapshot's SHA-256 was compared, and "
        "the quote was read at its offsets (Unicode code points of the snapshot decoded as UTF-8).</p>"
        "<h3>What this page was made from</h3>"
        f"<div class=wide><table><tbody>{rows}</tbody></table></div>"
        f"<h3>Make it again</h3><pre><code>{text(command)}</code></pre>"
    )
    return Block(html, f"made again by: {command}")


def digest_of(frame: pd.DataFrame) -> str:
    """Return a hash of a frame's content, whatever made it: rows as CSV, SHA-256."""
    return sha256(frame.to_csv(index=False).encode("utf-8", errors="replace")).hexdigest()
