"""Clauses and changes on training use, for tests."""

from __future__ import annotations

from typing import Any

import pandas as pd

BOTH = {"consumer_stance": "trains_by_default", "business_stance": "does_not_train", "stance": "depends_on_plan"}


def change(day: str, before: str | None, after: str | None, slug: str = "opal", **more: Any) -> dict[str, Any]:
    empty = {"added": [], "removed": [], "altered": [], "cause": [], "change_class": "material", "document": "Terms"}
    moved = {"change_id": f"{slug}-{day}", "slug": slug, "stance_before": before, "stance_after": after}
    return {**empty, **moved, "reviewed_at": pd.Timestamp(day, tz="UTC"), **more}
