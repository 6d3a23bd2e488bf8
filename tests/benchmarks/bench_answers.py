"""What hostile text costs beside prose where questions are read and findings weighed.

Run `python -m tests.benchmarks.bench_answers`. Aim: 1 MB of hostile quotes at most twice 1 MB of prose.
"""

from __future__ import annotations

import sys

from riskanalytics.service.answering.question import read_question
from riskanalytics.service.answering.retrieval import passing
from tests.service.answering.test_linear import ASKED, HOSTILE, PROSE, findings, shortest


def main() -> int:
    """Print the worst ratio of each surface."""
    for surface, asked in ASKED.items():
        question, prose = read_question(asked, []), findings(PROSE, surface)
        floor = shortest(lambda: passing(question, prose))  # noqa: B023 (called at once)
        ratios = {}
        for text in HOSTILE:
            rows = findings(text, surface)
            ratios[text] = shortest(lambda: passing(question, rows)) / floor  # noqa: B023 (called at once)
        worst = max(ratios, key=ratios.__getitem__)
        print(f"{surface:22} prose {1000 * floor:6.1f} ms; worst {worst!r}: {ratios[worst]:.2f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
