"""A share of a count, with Wilson's interval."""

from __future__ import annotations

from typing import Any, NamedTuple

from riskanalytics.extraction.confidence import wilson


class Share(NamedTuple):
    """A part of a whole."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None of nothing."""
        return self.part / self.whole if self.whole else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % score interval; (0, 1) of nothing."""
        return wilson(self.part, self.whole)

    def __str__(self) -> str:
        """Share, interval and counts for a person: `0.988 [0.97-0.99] 500/506`; `-` of nothing."""
        if self.value is None:
            return "-"
        low, high = self.interval
        return f"{self.value:.3f} [{low:.2f}-{high:.2f}] {self.part}/{self.whole}"

    def record(self) -> dict[str, Any]:
        """Return the share for machines: `value`, `low`, `high` (0 to 1; None of nothing), `part`, `whole`."""
        low, high = self.interval if self.whole else (None, None)
        return {
            "value": None if self.value is None else round(self.value, 4),
            "low": None if low is None else round(low, 4),
            "high": None if high is None else round(high, 4),
            "part": self.part,
            "whole": self.whole,
        }


def share_of(verdicts: list[bool]) -> Share:
    """Return the share of verdicts that are true.

    Parameters
    ----------
    verdicts : list of bool
    """
    return Share(sum(verdicts), len(verdicts))
