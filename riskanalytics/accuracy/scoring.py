"""Score the extraction on a set of labels and the texts of an ingested database."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from riskanalytics.extraction import RULES_VERSION, Comparison, DocumentReading, Walk, assess, extract
from riskanalytics.extraction.stance import located
from riskanalytics.extraction.training import read_whole
from riskanalytics.extraction.verdicts import Readers
from riskanalytics.service import Store
from riskanalytics.service.store.evidence import MOST_LEADS, newest_captures, surest
from riskanalytics.settings.databases import Place
from riskanalytics.surfaces import SURFACES
from riskanalytics.work import OnProgress
from riskanalytics.work.executors import open_executor

from .clauses import Counts, Figures, JudgedDocument, Share, score_clauses
from .labels import Labels, WholeDocument, read_labels

UNDETERMINED: Final = "undetermined"
_SAID: Final = {
    "said_to_train": ("trains_by_default", "trains_with_opt_out", "depends_on_plan"),
    "said_not_to_train": ("trains_with_opt_in", "does_not_train"),
    "said_to_be_silent": ("silent",),
}
"""Name of a share -> the stances that make this statement about a platform."""
_SHARES: Final = {
    "stances": ("acceptable", "best", UNDETERMINED, *_SAID),
    "present": SURFACES,
    "level": SURFACES,
    "changes": ("material", "surface", "first_surface", "direction"),
}


@dataclass(frozen=True)
class Score:
    """The accuracy of the extraction on a set of labels.

    Parameters
    ----------
    rules : str
        Version of the extraction.
    as_of : date or None
        Day at the end of which platforms were assessed; None for the newest data.
    documents : tuple of JudgedDocument
        Fully labelled documents with their findings and leads.
    groups : dict of str to Figures
        Accuracy of the findings by group: all findings (`all`), those made by hand-written rules (`hand_written`) or by the
        trained model (`learned`), and those on each surface.
    shares : dict of str to dict of str to Share
        Four groups of shares, each with its shares by name:

        - `stances`: of all labelled platforms, those for which the extraction gives an acceptable stance (`acceptable`), the
          best stance (`best`), or no definite stance (`undetermined`). Of the platforms whose given stance says that they train
          (`said_to_train`), do not train (`said_not_to_train`) or are silent (`said_to_be_silent`), those for which the given
          stance is acceptable.
        - `present`, by surface: of the labelled platforms, those for which extraction and label agree whether the documents say
          anything on the surface. According to the extraction, they do if it gives the surface a level; on training use, also if
          it gives the stance `undetermined`.
        - `level`, by surface: of the platforms with a labelled level, those for which the extraction gives this level.
        - `changes`: of all labelled changes, those that the extraction correctly classes as material or not material
          (`material`). Of the changes labelled material, those for which the extraction names the labelled surface (`surface`),
          names it first (`first_surface`), or gives the labelled direction (`direction`).
    faults : tuple of (str, str)
        One pair for each wrong result: `stance of` or `change`, and a line of text that describes it. A stance is wrong if its
        label does not accept it; a change, if its class, surface or direction differs from its label.
    samples : tuple of str
        Files of labels that were not read, because they label a sample only.
    refused : tuple of str
        Labels that were not scored, because their quotes are not at their offsets: one line each.
    not_scored : tuple of str
        Labels that were not scored, because the database does not have their text or platform: a line for each missing text or
        platform.
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


def score(
    source: Path, database: Place, *, readers: Readers | None = None, dask: str | None = None,
    progress: OnProgress | None = None,
) -> Score:  # fmt: skip
    """Measure the accuracy of the extraction, in its present version, on labels.

    Parameters
    ----------
    source : Path
        A file of fully labelled documents, or a folder of labels; see `riskanalytics.accuracy.labels`.
    database : Path or Server
        An ingested database with the labelled texts.
    readers : Readers, optional
        Language models, with their verdicts on clauses, changes and stances, which then count as they do for the pages. By
        default, only the hand-written rules and the trained model of the package decide.
    dask : str, optional
        Address of a Dask scheduler, whose workers then read the texts. By default, this machine reads them.
    progress : callable, optional
        Called with the phase, the number of steps done, and the number of all steps.

    Returns
    -------
    Score

    Raises
    ------
    LabelsError
        If the labels, or one of their lines, are malformed.
    DatabaseError
        If the database cannot be read.
    ExecutorError, MissingExtraError
        If the cluster cannot be used.
    """
    labels, step = read_labels(source), progress or (lambda *_: None)
    with closing(Store(database)) as store, store.one_state():
        step("reading the labelled texts", 0, 3)
        scoring = _Scoring(labels, store, readers, dask)
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
    """Labels; the labelled texts of a database, which the present version of the extraction reads again; and the results so far."""

    def __init__(self, labels: Labels, store: Store, readers: Readers | None, dask: str | None) -> None:
        self.labels = labels
        subjects: set[tuple[str, date | None]] = {(one.platform, None) for one in labels.documents}
        subjects |= {(label.platform, labels.as_of) for label in labels.platforms}
        self.captures = {of: newest_captures(store, *of) for of in subjects}
        hashes = [one.sha256 for one in labels.documents]
        hashes += [sha256 for label in labels.changes for sha256 in (label.before, label.after)]
        hashes += [sha256 for captures in self.captures.values() for _, sha256, _ in captures]
        bodies = {sha256: store.snapshot(sha256) for sha256 in dict.fromkeys(hashes)}
        self.texts = {name: body.decode(errors="replace") for name, body in bodies.items() if body is not None}
        with open_executor(dask, sum(map(len, self.texts.values()))) as workers:
            readings = {sha256: workers.executor.submit(extract, text) for sha256, text in self.texts.items()}
            self.alone = {sha256: reading.result() for sha256, reading in readings.items()}
        self.groups = (readers,) if readers else ()
        self.readings = {name: read_whole(self.texts[name], one, self.groups) for name, one in self.alone.items()}
        self.verdicts: defaultdict[tuple[str, str], list[Counts]] = defaultdict(list)
        """(group, name of a share) -> its counts."""
        self.faults: list[tuple[str, str]] = []
        self.refused: list[str] = []
        self.missing: list[str] = []

    def shares(self) -> dict[str, dict[str, Share]]:
        """Return the shares of right results: group of results -> name -> share (see `Score.shares`)."""
        return {
            group: {name: Share.of(self.verdicts[group, name]) for name in names} for group, names in _SHARES.items()
        }

    def _note(self, group: str, family: str, verdicts: dict[str, bool]) -> None:
        for name, verdict in verdicts.items():
            self.verdicts[group, name].append((family, verdict, 1))

    def _documents(self, slug: str, as_of: date | None) -> list[DocumentReading]:
        """Return the readings of the newest captures of a platform's documents at the end of a day.

        These are the texts of the archive, including broken captures; the service itself uses the last good text of a
        document instead.
        """
        return [DocumentReading(name, sha, at, self.readings[sha]) for name, sha, at in self.captures[slug, as_of]]

    def judged(self) -> Iterator[JudgedDocument]:
        """Yield the labelled documents with their findings; record each refused label and each missing text."""
        held: dict[str, list[WholeDocument]] = {}
        for one in self.labels.documents:
            if one.sha256 in self.texts:
                held.setdefault(one.platform, []).append(one)
            else:
                place = f"{one.where}, {one.platform}, {one.document}, sha256 {one.sha256}"
                self.missing.append(f"{place}: {len(one.labels)} labels")
        for slug, labelled in held.items():
            # unlabelled documents take their share of the leads that a platform shows
            names = {one.document for one in labelled}
            others = [other for other in self._documents(slug, None) if other.document not in names]
            read = [DocumentReading(one.document, one.sha256, "", self.readings[one.sha256]) for one in labelled]
            shown = surest(located([*read, *others], leads=True))[:MOST_LEADS]
            for one in labelled:
                text, findings = self.texts[one.sha256], self.readings[one.sha256].findings
                labels, refused = one.checked_labels(text)
                self.refused += refused
                leads = tuple(lead.finding for lead in shown if lead.snapshot_sha256 == one.sha256)
                yield JudgedDocument(one, text, labels, findings, leads)

    def score_platforms(self) -> None:
        """Score stances and levels."""
        labels = self.labels
        documents = {slug: self._documents(slug, labels.as_of) for slug in {one.platform for one in labels.platforms}}
        known = {slug: assess(read, self.groups) for slug, read in documents.items() if read}
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
            pair = (label.before, label.after)
            if gone := [sha256 for sha256 in pair if sha256 not in self.texts]:
                self.missing.append(f"{label.where}, {label.platform}: sha256 {gone[0]}")
                continue
            walk, at = Walk(self.groups), date.min.isoformat()
            *_, taken = (walk.step(at, sha256, self.texts[sha256], self.alone[sha256]) for sha256 in pair)
            given = taken.comparison or Comparison("capture_failure")
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
