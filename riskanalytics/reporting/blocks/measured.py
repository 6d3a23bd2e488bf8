"""How well documents are read, in words and tables: every part that was scored, and the figures that were withdrawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import ACCURACY_PARTS, DECIDED_BY
from riskanalytics.reporting.blocks.words import Rows, grouped, is_missing, percent, plural, text
from riskanalytics.reporting.display import Block

_MEASURES: Final = {
    "precision": "right, of all findings shown",
    "recall": "found, of the firm labels",
    "high": "right and HIGH, of the findings shown as HIGH",
    "level": "at a labelled level, of the findings that are right",
    "polarity": "of a labelled polarity, of the findings that are right",
    "sure": "right, of the findings with a confidence of .95 or more",
    "leads": "among the leads, of the firm labels that rules and model miss",
    "calibration_error": "expected calibration error: how far confidence and share right lie apart",
}
_STANCES: Final = {
    "acceptable": "told a stance that a reader accepts",
    "said_to_train": "said to train on user content: of these, rightly",
    "said_not_to_train": "said not to train, or only after opt-in: of these, rightly",
    "said_to_be_silent": "said to be silent: of these, rightly",
    "undetermined": "left undetermined",
}
_OLDER: Final = {
    "never_seen": "on platforms that nothing was made from",
    "vendors_left_out": "with each family of vendors left out in turn",
    "written_with_them": "on the clauses that the rules were written with",
}
_WHOLE: Final = (
    "Readers who did not see what the program finds read these documents whole, sentence by sentence: whatever it shows that "
    "they did not label counts as wrong. A label is firm where a careful second reader would not leave it out; any other may "
    "be found and need not be. Intervals: 95 %, whole families of vendors drawn again 1,000 times, since what one vendor "
    "writes hangs together."
)
NOT_TOLD: Final = (
    "<p>The service tells no figures of its accuracy on whole documents: read the clause before you act on a level.</p>"
)
_AUDITED: Final = {
    "findings": {
        "right": "right", "borderline": "borderline", "embarrassing": "embarrassing to quote", "level": "with the right level",
        "polarity": "with the right effect on the risk",
    },
    "stances": {"right": "right", "half_right": "half right (a plan, a way out or a better clause was missed)"},
    "changes": {"material": "material", "direction": "with the right direction", "cause": "with the right cause"},
}  # fmt: skip
"""What readers judged, and what a share of it says."""
_JUDGED: Final = "they counted only text that somebody had judged"


def accuracy_told(figures: pd.DataFrame, told: Mapping[str, Any]) -> Block:
    """Tell how well documents are read, by the part that was scored; beside it the figures that were withdrawn.

    Parameters
    ----------
    figures : pandas.DataFrame
        `frames.ACCURACY_COLUMNS`, as `sources.load_accuracy` gives them.
    told : mapping
        What is told beside them.
    """
    by_part = grouped(rows_of(figures), "labels")
    shown = [name for name in ACCURACY_PARTS if name in by_part]
    parts = [_part(name, by_part[name], told, name == shown[0]) for name in shown]
    if parts:
        parts.insert(0, f"<p>{_WHOLE}</p>")
    elif told.get("source") == "labels":
        parts.append("<p>The labels given hold no document that is labelled whole and that the data hold.</p>")
    else:
        parts.append(NOT_TOLD)
    parts += [_audit(_mapping(told.get("audit"))), withdrawn_told(told)]
    missing = told.get("not_scored")
    if missing:
        parts.append(
            f"<p class=alarm>{plural(int(missing), 'label or text', 'labels or texts')} could not be scored.</p>"
        )
    said = f"measured {text(_when(told))}" if by_part else "no figures of accuracy are told"
    return Block(f"<section aria-label=Accuracy>{''.join(parts)}</section>", said)


def _audit(audit: Mapping[str, Any]) -> str:
    """Return what readers found who judged what is shown; nothing where nobody did."""
    listed = ""
    for subject, words in _AUDITED.items():
        shares = _mapping(audit.get(subject))
        told = [
            f"{_ratio(_mapping(shares[name]))} {said}"
            for name, said in words.items()
            if isinstance(_mapping(shares.get(name)).get("value"), int | float)
        ]
        listed += f"<li>{subject.capitalize()}: {', '.join(told)}.</li>" if told else ""
    if not listed:
        return ""
    read, day, rules = (text(audit.get(key) or "not told") for key in ("read", "measured_on", "rules"))
    return f"<h3>Read by others</h3><p>Read on {day}, rules {rules}: {read}.</p><ul>{listed}</ul>"


def withdrawn_told(told: Mapping[str, Any]) -> str:
    """Return the figures of the older measure, marked as withdrawn, and why; nothing where there are none.

    Parameters
    ----------
    told : mapping
        What `sources.load_accuracy` tells.
    """
    withdrawn = _mapping(told.get("withdrawn"))
    listed = "".join(
        f"<li>{_older(_mapping(share), name)}</li>"
        for name, share in _mapping(withdrawn.get("groups")).items()
        if name in _OLDER and isinstance(_mapping(_mapping(share).get("precision")).get("value"), int | float)
    )
    if not listed:
        return ""
    why = withdrawn.get("why")
    day = withdrawn.get("measured_on")
    return (
        f"<h3>Withdrawn</h3><p>Do not rely on these older figures{f', measured on {text(day)}' if day else ''}: "
        f"{text(why) if why else _JUDGED}.</p><ul>{listed}</ul>"
    )


def _older(share: Mapping[str, Any], name: str) -> str:
    """Return the withdrawn figures of one measure."""
    shown = [
        f"{_ratio(_mapping(share[key]))} {words}"
        for key, words in (("precision", "of judged findings right"), ("recall", "of labelled clauses found"))
        if isinstance(_mapping(share.get(key)).get("value"), int | float)
    ]
    return f"<s>{_OLDER[name]}: {', '.join(shown)}</s>"


def _ratio(share: Mapping[str, Any]) -> str:
    counts = [share.get(key) for key in ("part", "whole")]
    behind = f" ({counts[0]:,} of {counts[1]:,})" if all(isinstance(count, int) for count in counts) else ""
    return f"{percent(float(share['value']))}{behind}"


def _part(name: str, rows: Rows, told: Mapping[str, Any], opened: bool) -> str:
    """Return one part: what it is of, its shares by what decided, and the stances of its platforms."""
    part = _mapping(_mapping(told.get("parts")).get(name))
    shares = {(row["surface"], row["measure"]): row for row in rows}
    body = "".join(
        f"<tr><th scope=row>{words}</th>{''.join(f'<td>{_cell(shares.get((group, measure)), group)}</td>' for group in DECIDED_BY)}"
        "</tr>"
        for measure, words in _MEASURES.items()
        if not _is_nothing(shares.get(("all", measure)))
    )
    heads = "".join(f"<th scope=col>{words}</th>" for words in DECIDED_BY.values())
    table = (
        f"<div class=wide><table class=text><thead><tr><td></td>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )
    title = ACCURACY_PARTS[name][:1].upper() + ACCURACY_PARTS[name][1:]
    return (
        f"<details class=keep{' open' * opened}><summary>{title} <span class=thin>{_amount(part)}</span></summary>"
        f"{_history(part)}{table}{_stances(_mapping(part.get('stances')))}</details>"
    )


def _is_nothing(row: Mapping[str, Any] | None) -> bool:
    return row is None or is_missing(row["share"])


def _cell(row: Mapping[str, Any] | None, group: str) -> str:
    """Return a share with its counts and interval."""
    if row is None or is_missing(row["share"]) or (row["measure"] == "leads" and group != "all"):
        return ""
    if row["measure"] == "calibration_error":
        return f"{float(row['share']):.3f}"
    if any(is_missing(row[key]) for key in ("low", "high", "part", "whole")):
        return percent(float(row["share"]))
    return (
        f"<strong>{percent(float(row['share']))}</strong> <span class=meta>{int(row['part']):,} of {int(row['whole']):,}, "
        f"{percent(float(row['low']))} to {percent(float(row['high']))}</span>"
    )


def _amount(part: Mapping[str, Any]) -> str:
    """Return how much was labelled."""
    nouns = {
        "documents": ("document", None),
        "families": ("family of vendors", "families of vendors"),
        "labels": ("label", None),
    }
    counts = [plural(part[name], *noun) for name, noun in nouns.items() if isinstance(part.get(name), int)]
    firm = f", {part['firm']:,} of them firm" if isinstance(part.get("firm"), int) else ""
    return f"{', '.join(counts)}{firm}"


def _history(part: Mapping[str, Any]) -> str:
    """Return when it was measured, by which version, and how often it was scored."""
    parts = [
        f"measured on {text(part['measured_on'])}" if part.get("measured_on") else "",
        f"version <code>{text(part['rules'])}</code>" if part.get("rules") else "",
        f"scored {plural(part['times_scored'], 'time')} so far; three are allowed"
        if isinstance(part.get("times_scored"), int)
        else "",
    ]
    said = "; ".join(filter(None, parts))
    return f"<p class=note>{said[:1].upper()}{said[1:]}.</p>" if said else ""


def _stances(stances: Mapping[str, Any]) -> str:
    """Return how the answers on training use of its platforms hold."""
    listed = "".join(
        f"<li>{words}: {_counted(_mapping(stances.get(name)))}</li>"
        for name, words in _STANCES.items()
        if isinstance(_mapping(stances.get(name)).get("value"), int | float)
    )
    return f"<p>Platforms and training on user content:</p><ul>{listed}</ul>" if listed else ""


def _counted(share: Mapping[str, Any]) -> str:
    bounds = [bound for key in ("low", "high") if isinstance(bound := share.get(key), int | float)]
    return _ratio(share) + (f", {percent(bounds[0])} to {percent(bounds[1])}" if len(bounds) == 2 else "")


def _when(told: Mapping[str, Any]) -> str:
    """Return against what or when the figures were measured."""
    return (
        "against the labels given"
        if told.get("source") == "labels"
        else f"on {told.get('measured_on') or 'a day not told'}"
    )


def _mapping(value: object) -> Mapping[str, Any]:
    """Return a value that is an object; an empty one where it is none."""
    return value if isinstance(value, Mapping) else {}
