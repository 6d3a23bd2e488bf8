"""Whether a capture is taken as the document's text: the check of its words, and how long it has stood."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from riskanalytics.extraction import SUBSTANTIAL, CaptureCheck, check_capture
from riskanalytics.service.review.rows import Document

_STANDS: Final = timedelta(days=30)
"""How long a much shorter text must stand before it is the document: a day's fault in an archive's declaration that
pasted other documents in must not make every right capture after it look collapsed, and a fault of some days must
not remove findings."""


def checked(document: Document, at: str, text: str, *, same: bool = False) -> CaptureCheck:
    """Check a capture, and remember since when the document has been much shorter than its last good text.

    Parameters
    ----------
    document : Document
        What is known of the document; changed.
    at : str
        When the capture was made, ISO 8601.
    text : str
    same : bool
        Whether it is the last good text again, byte for byte: it need not be looked at.

    Returns
    -------
    CaptureCheck
        As `check_capture`; good by the check `shorter_for_good` where a text that is a policy in itself has been
        below the share of the last good one for thirty days.
    """
    check = CaptureCheck("good", "passed") if same else check_capture(text, last_good=document.good_text)
    if check.check != "collapsed" or len(text) < SUBSTANTIAL or check_capture(text).state != "good":
        document.shorter_since = None
        return check
    document.shorter_since = document.shorter_since or at
    stood = datetime.fromisoformat(at) - datetime.fromisoformat(document.shorter_since)
    if stood < _STANDS:
        return check
    document.shorter_since = None
    return CaptureCheck("good", "shorter_for_good")
