"""The beginning and the end of a report."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import date
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Final

import pandas as pd

from riskanalytics.models import ACCURACY_PARTS, DISCLAIMER
from riskanalytics.reporting.blocks.words import level, percent, plural, text
from riskanalytics.reporting.display import Block

_LEVELS: Final = (
    (
        "HIGH",
        "the user or customer loses control of content, rights or personal data in a way most buyers would want to negotiate",
    ),
    ("MED", "usual in the market, limited, vague, or with a control that the user has to use"),
    ("LOW", "protective, or expressly excluded; a LOW clause is counter-evidence, not silence"),
    ("?", "not known: the documents could not be read, or the service gave a level that this page does not know"),
    ("blank", "read, and nothing found"),
)
_SHOWN: Final = 2_000
"""Characters of a parameter or command that a page tells about itself."""


def headline(
    title: str,
    sentences: Sequence[str],
    *,
    name: str,
    as_of: date,
    scope: str,
    checked: int = 0,
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
    checked : int
        Quotes that were read again when the page was made.
    failed : int
        How many of them did not stand at their offsets; said loudly.
    """
    facts = [text(scope[:1].upper() + scope[1:]), f"data as of <time>{as_of:%Y-%m-%d}</time>"]
    alarm = ""
    if failed:
        alarm = f"<p class=alarm>{failed:,} of {plural(checked, 'quote')} did not verify. Each is marked where it is shown.</p>"
    elif checked:
        facts.append(f"{plural(checked, 'quote')} re-verified")
    leads = "".join(f"<p class=lead>{text(sentence)}</p>" for sentence in sentences)
    html = (
        f"<header><h1>{text(title)}</h1><p class=meta>{' · '.join(facts)}</p>"
        f"{alarm}{leads}<p class=note>{text(DISCLAIMER)}</p></header>"
    )
    report = {
        "title": title,
        "name": name,
        "description": " ".join(sentences),
        "lead": sentences[0] if sentences else "",
        "as_of": f"{as_of:%Y-%m-%d}",
        "scope": scope,
        "quotes_checked": checked,
        "quotes_failed": failed,
    }
    return Block(html, "\n".join((title, *sentences)), report)


def scope(matches: pd.DataFrame, unmatched: pd.DataFrame) -> Block:
    """Tell which rows of a portfolio were found; rows that were not are listed.

    Parameters
    ----------
    matches, unmatched : pandas.DataFrame
        As `analysis.portfolio_scope` gives them; empty without a portfolio.
    """
    if unmatched.empty:
        return Block("", f"{plural(len(matches), 'row')} matched")
    rows = [", ".join(str(value) for value in row if not pd.isna(value)) for row in unmatched.itertuples(index=False)]
    listed = "".join(f"<li>{text(row)}</li>" for row in rows[:50])
    html = (
        f"<details class=keep open><summary>{plural(len(rows), 'portfolio row')} matched no tracked platform</summary>"
        f"<ul>{listed}</ul></details>"
    )
    return Block(html, f"{plural(len(rows), 'portfolio row')} matched no tracked platform")


def method(
    parameters: Mapping[str, object], *, extraction: Mapping[str, Any], figures: Mapping[str, object], command: str
) -> Block:
    """Close a report: definitions, accuracy, parameters, versions and the command that makes it again.

    Parameters
    ----------
    parameters : mapping
        Of the notebook.
    extraction : mapping
        What the service tells of its reading: `version`, and `figures` of its accuracy where it has any.
    figures : mapping
        Name -> value of what identifies the data.
    command : str
    """
    made = reproduction(parameters, extraction=extraction, figures=figures, command=command)
    html = (
        f"<h3>What the levels mean</h3>{levels().html}"
        f"<h3>How a platform is rated</h3>{_rated(extraction.get('rating'))}"
        "<h3>How far to trust it</h3>"
        "<p>Every quote on this page was fetched again when the page was made: its snapshot's SHA-256 was compared, and "
        "the quote was read at its offsets (Unicode code points of the snapshot decoded as UTF-8). That proves the words, "
        f"not their reading: clauses are found and rated by machine. {_accuracy(extraction.get('figures'))}</p>"
        f"{made.html}"
    )
    return Block(html, made.text, made.report)


def levels() -> Block:
    """Show what the levels mean."""
    rows = "".join(
        f"<tr><th scope=row>{level(word) if word.isupper() or word == '?' else text(word)}</th><td>{text(meaning)}</td></tr>"
        for word, meaning in _LEVELS
    )
    return Block(f"<div class=wide><table class=text><tbody>{rows}</tbody></table></div>", "what the levels mean")


def reproduction(
    parameters: Mapping[str, object], *, extraction: Mapping[str, Any], figures: Mapping[str, object], command: str
) -> Block:
    """Show what a page was made from, and the command that makes it again.

    Parameters
    ----------
    parameters, extraction, figures, command
        As `method` takes them.
    """
    versions = {
        "extraction": extraction.get("version") or "not told",
        "riskanalytics": version("riskanalytics"),
        "pandas, plotly, Python": f"{pd.__version__}, {version('plotly')}, {platform.python_version()}",
    }
    given = {f"parameter {key}": value if value != "" else "(empty)" for key, value in parameters.items()}
    told = {**given, **figures, **versions}
    hashes = {key: value for key, value in figures.items() if "SHA-256" in key}
    report = {
        "provenance": {key: str(value)[:_SHOWN] for key, value in {**hashes, **versions, **given}.items()},
        "counts": {key: str(value) for key, value in figures.items() if key not in hashes},
        "command": command[:_SHOWN],
    }
    rows = "".join(f"<tr><th scope=row>{text(key)}</th><td>{text(value)}</td></tr>" for key, value in told.items())
    html = (
        f"<h3>What this page was made from</h3><div class=wide><table class=text><tbody>{rows}</tbody></table></div>"
        f"<h3>Make it again</h3><pre><code>{text(command)}</code></pre>"
    )
    return Block(html, f"made again by: {command}", report)


def _rated(formula: Any) -> str:
    """Return the formula of the rating as the service publishes it; that it publishes none, where it does not."""
    steps = formula.get("steps") if isinstance(formula, Mapping) else None
    if not isinstance(steps, list) or not steps:
        return (
            "<p>The service does not publish the formula of its ratings. Silence never counts as low on this page.</p>"
        )
    return f"<ol>{''.join(f'<li>{text(step)}</li>' for step in steps)}</ol>"


def _accuracy(figures: Any) -> str:
    """Return the accuracy figures that the service tells; that it tells none, where it does not."""
    told = figures if isinstance(figures, Mapping) else {}
    for name, where in ACCURACY_PARTS.items():
        shares = _shares(told.get(name))
        if shares:
            return (
                f"On documents of {where}, labelled whole, {percent(shares[0])} of all findings shown are right and "
                f"{percent(shares[1])} of the firm labels are found: <code>riskanalytics report method</code> says more."
            )
    return "The service tells no accuracy figures on whole documents: read the clause before you act on a level."


def _shares(part: Any) -> list[float]:
    """Return precision and recall of all surfaces; empty where they are not told."""
    groups = part.get("groups") if isinstance(part, Mapping) else None
    whole = groups.get("all") if isinstance(groups, Mapping) else None
    shares = [whole.get(name) for name in ("precision", "recall")] if isinstance(whole, Mapping) else []
    values = [share.get("value") for share in shares if isinstance(share, Mapping)]
    known = [float(value) for value in values if isinstance(value, int | float)]
    return known if len(known) == 2 else []


def digest_of(*frames: pd.DataFrame) -> str:
    """Return a hash of the content of frames, whatever made them: rows as CSV, SHA-256."""
    digest = sha256()
    for frame in frames:
        digest.update(frame.to_csv(index=False).encode("utf-8", errors="replace"))
    return digest.hexdigest()
