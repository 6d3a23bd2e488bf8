"""A whole set of labels against the texts of an ingested database."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from riskanalytics.extraction import RULES_VERSION, DocumentReading, Reading, assess, compare, extract
from riskanalytics.service import Store
from riskanalytics.service.store.evidence import MOST_LEADS, newest_captures, surest_leads
from riskanalytics.settings.databases import Place
from riskanalytics.surfaces import SURFACES
from riskanalytics.work.executors import open_executor

from .clauses import Counts, Figures, JudgedDocument, Share, score_clauses
from .labels import Labels, WholeDocument, read_labels

Progress = Callable[[str, int, int | None], None]
"""(phase, steps done, steps in all)"""
UNDETERMINED: Final = "undetermined"
_SAID: Final = {
    "said_to_train": ("trains_by_default", "trains_with_opt_out", "depends_on_plan"),
    "said_not_to_train": ("trains_with_opt_in", "does_not_train"),
    "said_to_be_silent": ("silent",),
}
"""What a stance says in public under a platform's name."""
_SHARES: Final = {
    "stances": ("acceptable", "best", UNDETERMINED, *_SAID),
    "present": SURFACES,
    "level": SURFACES,
    "changes": ("material", "surface", "first_surface", "direction"),
}


class Archive:
    """Texts by their hash, and the documents of a platform at a date; each text is read once.

    Parameters
    ----------
    store : Store
        An ingested database. Its texts are read again by the rules of this version: what an earlier version
        recorded in it does not count.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._readings: dict[str, Reading] = {}

    def text(self, sha256: str) -> str | None:
        """Return a text by the hash of its bytes; None where the database does not hold it."""
        body = self.store.snapshot(sha256)
        return None if body is None else body.decode("utf-8", errors="replace")

    def reading(self, sha256: str) -> Reading:
        """Return what is read out of a text that the database holds."""
        if sha256 not in self._readings:
            self._readings[sha256] = extract(self.text(sha256) or "")
        return self._readings[sha256]

    def read(self, hashes: Iterable[str], dask: str | None = None) -> None:
        """Read texts, several at once; those that the database does not hold are left out.

        Parameters
        ----------
        hashes : iterable of str
        dask : str, optional
            As `executors.open_executor` takes it.
        """
        texts = {sha256: text for sha256 in dict.fromkeys(hashes) if (text := self.text(sha256)) is not None}
        with open_executor(dask, sum(map(len, texts.values()))) as workers:
            asked = {sha256: workers.executor.submit(extract, text) for sha256, text in texts.items()}
            self._readings |= {sha256: reading.result() for sha256, reading in asked.items()}

    def documents(self, slug: str, as_of: date | None) -> list[DocumentReading]:
        """Return what is read out of the newest captures of a platform's documents.

        These are the texts that a reader of the archive has before them, broken captures too; the service itself
        keeps the last good text of a document instead.

        Parameters
        ----------
        slug : str
        as_of : date or None
            By the end of that day; the newest where None.

        Returns
        -------
        list of DocumentReading
            Empty where nothing of the platform was captured by then.
        """
        captures = newest_captures(self.store, slug, as_of)
        return [DocumentReading(name, sha256, at, self.reading(sha256)) for name, sha256, at in captures]


@dataclass(frozen=True)
class Score:
    """What a set of labels says of the extraction.

    Parameters
    ----------
    rules : str
        Version of what read the texts.
    as_of : date or None
        Day at whose end platforms were assessed.
    documents : tuple of JudgedDocument
        What was labelled whole, with all findings.
    groups : dict of str to Figures
        See `score_clauses`.
    shares : dict of str to dict of str to Share
        `stances`: `acceptable` and `best` (stances among those to accept, stances that are the best answer), `undetermined`
        (left open), and of the platforms of which `said_to_train`, `said_not_to_train`, `said_to_be_silent` is true, those
        whose very stance is one to accept. `present` and `level` by surface: whether anything was found, as labelled, on
        training use also where it is left open; of what is labelled with a level, the level as labelled. `changes`:
        `material` (called material, or not, as labelled), and of those labelled material `surface` (the labelled one among
        those named), `first_surface` (named first) and `direction`.
    faults : tuple of (str, str)
        `stance of` or `change`, and a line: for each stance that is not acceptable, and each change whose class, surface or
        direction is another.
    samples : tuple of str
        Files of labels that were not read, since they label a sample only.
    refused : tuple of str
        Labels that were not scored since they are not where they say: a line each.
    not_scored : tuple of str
        Labels that were not scored since the database does not hold their text: a line each.
    """

    rules: str
    as_of: date | None
    documents: tuple[JudgedDocument, ...]
    groups: dict[str, Figures]
    shares: dict[str, dict[str, Share]]
    faults: tuple[tuple[str, str], ...]
    samples: tuple[str, ...]
    refused: tuple[str, ...]
    not_scored: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every label was scored."""
        return not self.refused and not self.not_scored


def score(source: Path, database: Place, *, dask: str | None = None, progress: Progress | None = None) -> Score:
    """Score the extraction of this version against labels.

    Parameters
    ----------
    source : Path
        A file of documents labelled whole, or a folder of labels; see `riskanalytics.accuracy.labels`.
    database : Path or Server
        An ingested database that holds the labelled texts.
    dask : str, optional
        Address of a Dask scheduler whose workers read the texts; the cores of this machine do without.
    progress : callable, optional
        Called with the phase, the steps done and the steps in all.

    Returns
    -------
    Score

    Raises
    ------
    LabelsError
        If the labels, or a line of them, are not of the form described.
    DatabaseError
        If the database cannot be read.
    ExecutorError, MissingExtraError
        If the cluster cannot be used.
    """
    labels, step = read_labels(source), progress or (lambda *_: None)
    with closing(Store(database)) as store, store.one_state():
        scoring = _Scoring(labels, Archive(store))
        step("reading the labelled texts", 0, 3)
        scoring.archive.read(scoring.hashes(), dask)
        documents = tuple(scoring.judged())
        step("assessing the labelled platforms", 1, 3)
        scoring.score_platforms()
        step("comparing the labelled changes", 2, 3)
        scoring.score_changes()
    return Score(
        RULES_VERSION, labels.as_of, documents, score_clauses(documents), scoring.shares(), tuple(scoring.faults),
        labels.samples, tuple(scoring.refused), tuple(scoring.missing),
    )  # fmt: skip


class _Scoring:
    """Labels beside an archive, and the verdicts so far."""

    def __init__(self, labels: Labels, archive: Archive) -> None:
        self.labels, self.archive = labels, archive
        self.verdicts: defaultdict[tuple[str, str], list[Counts]] = defaultdict(list)
        """By group and name of the share."""
        self.faults: list[tuple[str, str]] = []
        self.refused: list[str] = []
        self.missing: list[str] = []

    def shares(self) -> dict[str, dict[str, Share]]:
        """Return the shares of verdicts that are true, also of those without a verdict."""
        return {
            group: {name: Share.of(self.verdicts[group, name]) for name in names} for group, names in _SHARES.items()
        }

    def _note(self, group: str, family: str, verdicts: Mapping[str, bool]) -> None:
        for name, verdict in verdicts.items():
            self.verdicts[group, name].append((family, verdict, 1))

    def hashes(self) -> Iterator[str]:
        """Give the hashes of the texts that labels are about: their own, and those of their platforms by then."""
        labels = self.labels
        yield from (document.sha256 for document in labels.documents)
        yield from (sha256 for label in labels.changes for sha256 in (label.before, label.after))
        asked: set[tuple[str, date | None]] = {(document.platform, None) for document in labels.documents}
        for slug, as_of in asked | {(label.platform, labels.as_of) for label in labels.platforms}:
            yield from (sha256 for _, sha256, _ in newest_captures(self.archive.store, slug, as_of))

    def judged(self) -> Iterator[JudgedDocument]:
        """Give documents beside their texts; note each label that is refused and each text that is missing."""
        held: dict[str, dict[WholeDocument, str]] = {}
        for one in self.labels.documents:
            if (text := self.archive.text(one.sha256)) is not None:
                held.setdefault(one.platform, {})[one] = text
            else:
                place = f"{one.where}, {one.platform}, {one.document}, sha256 {one.sha256}"
                self.missing.append(f"{place}: {len(one.labels)} labels")
        for slug, texts in held.items():
            # documents that nobody labelled take their share of the leads that a platform shows
            readings = {one: self.archive.reading(one.sha256) for one in texts}
            names = {one.document for one in texts}
            others = [other for other in self.archive.documents(slug, None) if other.document not in names]
            labelled = [DocumentReading(one.document, one.sha256, "", reading) for one, reading in readings.items()]
            shown = surest_leads([*labelled, *others])[:MOST_LEADS]
            for one, text in texts.items():
                labels, refused = one.standing(text)
                self.refused += refused
                leads = tuple(lead.finding for lead in shown if lead.snapshot_sha256 == one.sha256)
                yield JudgedDocument(one, text, labels, readings[one].findings, leads)

    def score_platforms(self) -> None:
        """Judge stances and levels."""
        labels = self.labels
        documents = {
            slug: self.archive.documents(slug, labels.as_of) for slug in {one.platform for one in labels.platforms}
        }
        known = {slug: assess(read) for slug, read in documents.items() if read}
        missing = Counter(label.platform for label in labels.platforms if label.platform not in known)
        self.missing += [f"platform {slug}: {count} labels" for slug, count in missing.items()]
        for label in labels.stances:
            if (slug := label.platform) not in known:
                continue
            stance = known[slug].stance
            right = stance in label.acceptable
            verdicts = {"acceptable": right, "best": stance == label.best, UNDETERMINED: stance == UNDETERMINED}
            self._note("stances", slug, verdicts | {name: right for name, said in _SAID.items() if stance in said})
            if not right:
                self.faults.append(("stance of", f"{slug}: {stance}, labelled {' or '.join(label.acceptable)}"))
        for of in labels.surfaces:
            if of.platform in known and of.confidence != "low":
                given, surface = known[of.platform], of.surface
                level = next(row.risk for row in given.surfaces if row.surface == surface)
                found = level is not None or (surface == "training_use" and given.stance == UNDETERMINED)
                self._note("present", of.platform, {surface: of.present == found})
                if of.present and of.risk:
                    self._note("level", of.platform, {surface: of.risk == level})

    def score_changes(self) -> None:
        """Compare each labelled pair of texts."""
        for label in self.labels.changes:
            before, after = map(self.archive.text, (label.before, label.after))
            if before is None or after is None:
                self.missing.append(
                    f"{label.where}, {label.platform}: sha256 {label.before if before is None else label.after}"
                )
                continue
            given = compare(
                before, after, readings=(self.archive.reading(label.before), self.archive.reading(label.after))
            )
            right = {"material": (given.change_class == "material") == label.material}
            if label.material:
                right |= {"surface": label.surface in given.surfaces, "direction": label.direction == given.direction}
                self._note("changes", label.platform, {"first_surface": given.surfaces[:1] == (label.surface,)})
            self._note("changes", label.platform, right)
            if not all(right.values()):
                wanted = f"material on {label.surface}, {label.direction}" if label.material else "not material"
                said = f"{given.change_class}{' on ' if given.surfaces else ''}{', '.join(given.surfaces[:3])}"
                line = f"{label.id or label.where} ({label.platform}): {said}, {given.direction}; labelled {wanted}"
                self.faults.append(("change", line))
