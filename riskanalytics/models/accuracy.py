"""What a service says of its extraction: its version, how ratings are computed, and how well it reads."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from riskanalytics.models.base import Record, Sometimes, Told


class ShareOfCount(Record):
    """A part of a whole, 0 to 1, with its 95 % interval (families of vendors drawn again); without a value of nothing."""

    value: Sometimes[float] = Field(None, description="0 to 1; missing of nothing.")
    low: Sometimes[float] = Field(
        None, description="Lower bound of its 95 % interval, families of vendors drawn again."
    )
    high: Sometimes[float] = Field(None, description="Upper bound of its interval.")
    part: Told[int] = Field(description="What is counted.")
    whole: Told[int] = Field(description="Of how many.")
    families: Told[int] = Field(description="Families of vendors that the whole is of.")


class Bin(ShareOfCount):
    """Findings of one stated confidence, and how many are right."""

    from_: Annotated[Told[float], Field(alias="from")] = Field(description="Lower bound of the stated confidence.")
    to: Told[float] = Field(description="Upper bound of the stated confidence.")
    stated: Told[float] = Field(description="Mean of the stated confidence.")


class Measured(Record):
    """How documents are read that were labelled whole: what is not labelled is wrong."""

    measured_on: Told[str] = Field(description="ISO 8601 day.")
    rules: Told[str] = Field(description="Version of the rules and weights that was measured.")
    times_scored: Sometimes[int] = Field(None, description="Of a part whose scoring is counted.")
    scored_on: Sometimes[list[str]] = None
    documents: Told[int]
    platforms: Told[int]
    families: Told[int]
    labels: Told[int]
    firm: Told[int] = Field(description="Labels that two careful readers would share: what must be found.")
    groups: Told[dict[str, dict[str, ShareOfCount | float]]] = Field(
        description="By surface, by what decided (`hand_written`, `learned`) and in all."
    )
    reliability: Told[dict[str, list[Bin]]]
    stances: Sometimes[dict[str, ShareOfCount]] = None
    changes: Sometimes[dict[str, ShareOfCount]] = None
    platform_level: Sometimes[ShareOfCount] = None


class ShareTold(Record):
    """A share of an older measure; its counts where they are known."""

    value: Told[float]
    low: Sometimes[float] = None
    high: Sometimes[float] = None
    part: Sometimes[int] = None
    whole: Sometimes[int] = None


class Withdrawn(Record):
    """Figures of an older measure, which flattered."""

    measured_on: Told[str]
    why: Told[str]
    groups: Told[dict[str, dict[str, ShareTold]]]


class Audit(Record):
    """What readers found who judged what is shown, not what was labelled."""

    measured_on: Told[str]
    rules: Told[str]
    read: Told[str] = Field(description="What they read.")
    findings: Told[dict[str, ShareTold]]
    stances: Told[dict[str, ShareTold]]
    changes: Told[dict[str, ShareTold]]


class Figures(Record):
    """How well the extraction reads, by the part of the labels that was scored."""

    test: Sometimes[Measured] = Field(None, description="Vendors that nothing was made from.")
    unseen: Sometimes[Measured] = Field(None, description="AI platforms that nothing was made from.")
    calibrate: Sometimes[Measured] = Field(None, description="Vendors that only the confidence was set by.")
    audit: Sometimes[Audit] = None
    withdrawn: Sometimes[Withdrawn] = None


class Points(Record):
    """What a level counts in the mean of a rating."""

    LOW: Told[int]
    MED: Told[int]
    HIGH: Told[int]


class RatingFormula(Record):
    """How ratings are computed."""

    version: Told[str]
    steps: Told[list[str]]
    weights: Told[dict[str, int]]
    points: Told[Points]
    high_from: Told[float] = Field(description="Weighted mean from which a rating is HIGH.")
    low_below: Told[float] = Field(description="Weighted mean below which a rating may be LOW.")


class Extraction(Record):
    """What reads the texts."""

    version: Told[str]
    finding_from: Told[float]
    figures: Told[Figures]
    rating: Told[RatingFormula]
