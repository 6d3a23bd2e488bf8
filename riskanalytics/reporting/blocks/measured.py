"""How well clauses are read, in words: on platforms never seen, with vendors held out, and what confidence is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from riskanalytics.reporting.blocks.words import percent, plural, text
from riskanalytics.reporting.display import Block

_READERS: Final = (
    "Rules written by hand look for what they know; a linear model, learned from written sentences and from documents "
    "labelled whole, checks them and fills their gaps."
)
_NARROW: Final = (
    "The intervals take clauses as independent; those of one vendor are not, so they are rather too narrow."
)


def accuracy_told(told: Mapping[str, Any]) -> Block:
    """Tell in words where the figures come from, and how well a finding's confidence predicts.

    Parameters
    ----------
    told : mapping
        As `sources.load_accuracy` gives it.
    """
    source = told.get("source")
    if source not in ("labels", "recorded"):
        html = "<p>The service tells no figures of its accuracy: read the clause before you act on a level.</p>"
        return Block(html, "no figures of accuracy are told")
    seen = told.get("measure") == "never_seen"
    parts = _on_never_seen(told) if seen else _with_vendors_held_out(told)
    missing = told.get("not_scored")
    if missing:
        parts.append(
            f"<p class=alarm>{plural(int(missing), 'label or text', 'labels or texts')} could not be scored.</p>"
        )
    return Block(f"<section aria-label=Accuracy>{''.join(parts)}</section>", f"measured {_when(told)}")


def _when(told: Mapping[str, Any]) -> str:
    """Return against what or when the figures were measured."""
    labels = told.get("source") == "labels"
    return text("against the labels given" if labels else f"on {told.get('measured_on') or 'a day not told'}")


def _on_never_seen(told: Mapping[str, Any]) -> list[str]:
    """Return what is said of figures on platforms never seen, and of the second measure."""
    where = "platforms"
    if _counted(told, "platforms", "texts"):
        where = f"{plural(told['texts'], 'text')} of {plural(told['platforms'], 'platform')}"
    return [
        f"<p>{_READERS}</p>",
        f"<p>Measured {_when(told)} in {where} from which no rule was written and no weight learned; the chart shows these "
        f"figures.{_shares(told)}{_levels_and_lookalikes(told)} {_NARROW}</p>",
        _second_measure(told),
        _confidence(told),
    ]


def _shares(told: Mapping[str, Any]) -> str:
    """Return how many findings were right, and how many clauses were found."""
    if not _counted(told, "right", "judged", "found", "labelled"):
        return ""
    return (
        f" Of {plural(told['judged'], 'judged finding')} {_part(told['right'], told['judged'])} are right; of "
        f"{plural(told['labelled'], 'labelled clause')} {_part(told['found'], told['labelled'])} are found."
    )


def _part(part: int, whole: int) -> str:
    """Return a count and its share: `419 (90 %)`."""
    return f"{part:,} ({percent(part / whole)})" if whole else f"{part:,}"


def _levels_and_lookalikes(told: Mapping[str, Any]) -> str:
    """Return how many levels were right, and how many lookalikes were reported."""
    said = ""
    if _counted(told, "levels_right", "found"):
        said += f" Of those found, {_part(told['levels_right'], told['found'])} have exactly the labelled level."
    if _counted(told, "lookalikes_reported", "lookalikes"):
        said += (
            f" Of {plural(told['lookalikes'], 'lookalike')}, clauses that only seem to speak to a surface, "
            f"{_part(told['lookalikes_reported'], told['lookalikes'])} are reported nevertheless."
        )
    return said


def _second_measure(told: Mapping[str, Any]) -> str:
    """Return in one sentence how vendors left out are read."""
    if not (_counted(told, "families") and _numbers(told, "families_precision", "families_recall")):
        return ""
    families = plural(told["families"], "family", "families")
    return (
        f"<p>By the second measure{_amount(told, 'families_labelled')}, each of {families} of vendors is left out of the "
        "learning in turn and what only that family justifies is switched off: "
        f"{percent(told['families_precision'])} of judged findings are right and {percent(told['families_recall'])} of "
        "labelled clauses are found, which flatters, since the rules were written with those clauses in sight.</p>"
    )


def _with_vendors_held_out(told: Mapping[str, Any]) -> list[str]:
    """Return what is said of figures where each vendor is held out."""
    parts = [f"<p>Measured {_when(told)}{_amount(told)}. {_with_all(told)}</p>"]
    given = told.get("source") == "labels"
    if _counted(told, "families"):
        last = (
            "The learned weights are the package's and are not learned again: figures on documents that they were learned from "
            "flatter, and so do those on documents that rules were written from."
            if given
            else "It is a proxy: a pattern inside a rule may still have been written for one vendor, so expect less on texts "
            "never seen."
        )
        parts.append(
            f"<p>{_READERS if given else 'Rules are written with such clauses in sight.'} Each of "
            f"{plural(told['families'], 'family', 'families')} of vendors is held out in turn and scored only by what took a "
            f"clause of another family rightly; the chart shows these figures. {last} {_NARROW}</p>"
        )
    return [*parts, _confidence(told)]


def _confidence(told: Mapping[str, Any]) -> str:
    """Return what a finding's confidence is, and how well it predicts."""
    if not _numbers(told, "mean_confidence", "share_right", "brier"):
        return ""
    mean, right, brier = told["mean_confidence"], told["share_right"], told["brier"]
    if told.get("source") == "labels" or told.get("measure") == "never_seen":
        what = (
            "the measured precision of what decided it, a rule or one kind of the model's findings, on clauses of vendors left "
            "out of the learning and of platforms never seen; where few were judged, it leans on its surface"
        )
    else:
        what = "the measured precision of its rule, leaning on its surface where the rule was seldom judged"
    return (
        f"<p>A finding's confidence is {what}. Given by the other vendors' clauses alone it was {mean:.3f} on average, and "
        f"{right:.3f} of those findings were right (Brier score {brier:.3f}; always saying {right:.3f} would give "
        f"{right * (1 - right):.3f}).</p>"
    )


def _counted(told: Mapping[str, Any], *names: str) -> bool:
    """Say whether all of these are told as counts."""
    return all(isinstance(told.get(name), int) for name in names)


def _numbers(told: Mapping[str, Any], *names: str) -> bool:
    """Say whether all of these are told as numbers."""
    return all(isinstance(told.get(name), int | float) for name in names)


def _amount(told: Mapping[str, Any], name: str = "labelled_clauses") -> str:
    """Return how many clauses were labelled."""
    count = told.get(name)
    return f", on {count:,} clauses labelled by hand" if isinstance(count, int) else ""


def _with_all(told: Mapping[str, Any]) -> str:
    """Return the figures with nothing left out."""
    parts = [
        f"{words} {told[key]:.3f}"
        for key, words in (("precision", "precision"), ("recall", "recall"), ("f1", "F1"))
        if isinstance(told.get(key), int | float)
    ]
    return f"With nothing left out: {', '.join(parts)}." if parts else ""
