"""The fictional archive as a collection: what ingest reads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from importlib import resources
from importlib.resources.abc import Traversable

from riskanalytics.demo.history import PARTS, Course, FictionalPlatform, all_courses, choose
from riskanalytics.demo.policies import BROKEN, policy
from riskanalytics.extraction import ASSESSED_BY
from riskanalytics.ingest import Capture
from riskanalytics.ingest.collection import Collection, Known
from riskanalytics.service.store.schema import SCHEMA_VERSION


class DemoCollection(Collection):
    """The captures of all documents of all fictional platforms, in the order of time."""

    name = "demo"
    kind = "demo"

    @property
    def pages(self) -> dict[tuple[str, str], str]:  # type: ignore[override]
        """Addresses of the documents, on the platforms' reserved domains."""
        platforms = (course.platform for course in all_courses())
        return {
            (platform.name, document): f"{platform.website}/{document.lower().replace(' ', '-')}"
            for platform in platforms
            for document in platform.documents
        }

    @property
    def head(self) -> str:
        """Hash of what the demo is written from and read by."""
        return digest()

    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Give all captures in the order of time, after their number.

        Parameters
        ----------
        known : callable
            See `riskanalytics.ingest.collection.Known`.
        """
        brought = sorted(
            (capture for course in all_courses() for capture in _captures(course)),
            key=lambda capture: (capture.captured_at, capture.folder, capture.document),
        )
        yield len(brought)
        for sequence, capture in enumerate(brought):
            if not known(capture.revision, f"{capture.folder}/{capture.document}", sequence):
                yield replace(capture, sequence=sequence)


def digest() -> str:
    """Return twelve hexadecimal digits: a hash of what the demo is written from and read by."""
    parts = [path.read_bytes() for path in _sources(resources.files(__package__))]
    said = [part.model_dump_json().encode() for part in PARTS.values()]
    return hashlib.sha256(b"\0".join([f"{ASSESSED_BY} {SCHEMA_VERSION}".encode(), *said, *parts])).hexdigest()[:12]


def _sources(folder: Traversable) -> Iterator[Traversable]:
    """Give the files of the package that the demo comes from, in a fixed order."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name.endswith((".py", ".toml")):
            yield path
        elif path.name == "written":
            yield from _sources(path)


def _captures(course: Course) -> Iterator[Capture]:
    """Give the captures of one platform; a document is recorded when its text has changed."""
    platform = course.platform
    texts = {document: policy(platform, document, platform.profile) for document in platform.documents}
    for document, text in texts.items():
        yield _capture(platform, document, platform.first, "first", text)
    for event in course.events:
        kind = "technical" if event.kind == "technical" else "change"
        for document in platform.documents:
            text = policy(platform, document, event.profile)
            if event.kind == "failure":
                if document != event.document:
                    continue
                text = choose(BROKEN, "broken", platform.name, event.at)
            if text != texts[document]:
                texts[document] = text
                yield _capture(platform, document, event.at, kind, text)


def _capture(platform: FictionalPlatform, document: str, at: datetime, kind: str, text: str) -> Capture:
    """Return one capture, named by what it is; its place is told when all are sorted."""
    revision = hashlib.sha256(f"{platform.name}|{document}|{at.isoformat()}".encode()).hexdigest()[:40]
    return Capture(
        platform.name, document, at, revision, 0, kind, text.encode(), name=platform.name, website=platform.website
    )
