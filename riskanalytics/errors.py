"""The error tree.

::

    RiskAnalyticsError              root; its text is one line: what was wrong and what to do
    |-- SettingsError               a setting is missing, contradictory or ill-formed
    |-- DatabaseError               a database cannot be opened, read or written
    |-- DeliveryError               a mail could not be handed over
    |-- IngestError                 a collection cannot be read
    |-- PullError                   a folder of pulls cannot be read or written, or a pull in it is damaged
    |-- SurfaceError                the file of a surface is not of the form that it must have
    |-- ExtractionError             the rules or a text given to the extraction are not usable
    |-- LabelsError                 labelled clauses are missing or not of the form they must have
    |-- EvidenceError               a quote is not where its provenance says
    |-- MissingExtraError           an optional part is not installed
    |-- ExecutorError               a work could not be done where it was sent: a cluster, or a process
    |   `-- ClusterGoneError        the cluster ended meanwhile
    |-- ReportError                 a report could not be produced; nothing was published
    |   |-- ParameterError          a notebook parameter is unknown or ill-typed
    |   `-- IncompleteReportError   the data do not carry the report that was asked for
    `-- ServiceError                a server answered with a failure (status, detail)
        |-- NotAuthorised           401: no key, or a key that is not accepted
        |-- TierRequired            402, 403: the key's tier does not include this
        |-- UnknownPlatform         404 for a platform
        |-- RateLimited             429 beyond what may be waited for (retry_after, seconds)
        |-- InvalidAnswer           the answer is not what the specification describes
        `-- Unreachable             no answer at all: refused, cut off, or out of time
"""


class RiskAnalyticsError(Exception):
    """Root of all errors raised on purpose; its text is one line for a person."""


class SettingsError(RiskAnalyticsError):
    """A setting is missing, contradictory or ill-formed."""


class DatabaseError(RiskAnalyticsError):
    """A database cannot be opened, read or written, or is of another program."""


class DeliveryError(RiskAnalyticsError):
    """A mail could not be handed over; the subscription it was about was not started."""


class IngestError(RiskAnalyticsError):
    """A collection cannot be read: not a collection, cut off, or unreadable."""


class PullError(RiskAnalyticsError):
    """A folder of pulls cannot be read or written, or a pull in it is damaged; the text names the file."""


class SurfaceError(RiskAnalyticsError):
    """The file of a surface is not of the form that it must have; the text names file, place and reason."""


class ExtractionError(RiskAnalyticsError):
    """The rules, or a text given to the extraction, are not usable."""


class LabelsError(RiskAnalyticsError):
    """Labelled clauses are missing, or a line of them is not of the form that it must have."""


class EvidenceError(RiskAnalyticsError):
    """A quote is not at its offsets in the snapshot that its provenance names."""


class MissingExtraError(RiskAnalyticsError):
    """An optional part is not installed; the text says what to install."""


class ExecutorError(RiskAnalyticsError):
    """A work could not be done where it was sent: no cluster, a worker of another version, a process that ended."""


class ClusterGoneError(ExecutorError):
    """The cluster ended, or could no longer be reached, before the work was done."""


class ReportError(RiskAnalyticsError):
    """A report could not be produced; nothing was published.

    Attributes
    ----------
    cell : int or None
        Cell of the notebook that failed, from 1.
    """

    cell: int | None = None


class ParameterError(ReportError):
    """A notebook parameter is unknown, ill-typed or ill-named."""


class IncompleteReportError(ReportError):
    """The data do not carry the report that was asked for (exit code 3)."""


class ServiceError(RiskAnalyticsError):
    """A server answered with a failure.

    Parameters
    ----------
    message : str
        One line: what was wrong and what to do.
    status : int, optional
        HTTP status, 0 where there was no answer.
    detail : str, optional
        Short, cleaned text of the answer's body.
    retry_after : float, optional
        Seconds that the server asked to wait (Retry-After); None where it did not ask.
    """

    def __init__(self, message: str, *, status: int = 0, detail: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after


class NotAuthorised(ServiceError):  # noqa: N818 (named for the answer, as the specification's readers say it)
    """401: no key was sent, or the key is not accepted."""


class TierRequired(ServiceError):  # noqa: N818
    """402 or 403: the tier of the key does not include this."""


class UnknownPlatform(ServiceError):  # noqa: N818
    """404: the service does not track this platform."""


class RateLimited(ServiceError):  # noqa: N818
    """429: the server asked to wait longer than this client waits (`retry_after`)."""


class InvalidAnswer(ServiceError):  # noqa: N818
    """The answer is not what the specification describes (wrong type, cut off, not JSON)."""


class Unreachable(ServiceError):  # noqa: N818
    """There was no answer: connection refused, cut off, or out of time."""


def one_line(error: Exception) -> str:
    """Return what an error of a library says, for the one line that a person reads.

    Parameters
    ----------
    error : Exception
    """
    return cut_inside(" ".join(str(error).split()), 300)


def cut_inside(text: str, most: int) -> str:
    """Return a text, shortened in its middle if it is long: the end of a message says what to do and is kept.

    Parameters
    ----------
    text : str
    most : int
        Characters.

    Examples
    --------
    >>> cut_inside("the folder could not be read, as nobody may read it: give another folder", 52)
    'the folder could […] may read it: give another folder'
    """
    if len(text) <= most:
        return text
    head, tail = text[: most // 3], text[len(text) - most + most // 3 :]
    return f"{head.rpartition(' ')[0] or head} […] {tail.partition(' ')[2] or tail}"
