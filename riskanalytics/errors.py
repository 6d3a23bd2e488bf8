"""The errors of this package, as a tree.

::

    RiskAnalyticsError              root; its message is one line: what is wrong and what to do
    |-- SettingsError               a setting is missing, contradictory or malformed
    |-- DatabaseError               a database cannot be opened, read or written
    |-- DeliveryError               a mail or an alert could not be delivered
    |-- IngestError                 a collection (archive of policies) cannot be read
    |-- PullError                   a folder of pulls cannot be read or written, or a pull in it is damaged
    |-- SurfaceError                the TOML file that defines a surface is malformed
    |-- ExtractionError             a rule of the extraction is malformed, or an extracted quote is not in its text
    |-- ReaderError                 a reader (language model) cannot be used, or its answers cannot be read
    |-- LabelsError                 the labels that accuracy is measured with are missing or malformed
    |-- EvidenceError               a quote does not verify, or evidence is damaged or cannot be made
    |-- MissingExtraError           an optional package is not installed
    |-- ExecutorError               a task could not run on a Dask cluster or in another process
    |   `-- ClusterGoneError        the cluster ended before the task was done
    |-- ReportError                 a report could not be made; nothing was published
    |   |-- ParameterError          a parameter is unknown or invalid
    |   `-- IncompleteReportError   the data do not suffice for the report
    `-- ServiceError                a server reported a failure (status, detail)
        |-- NotAuthorised           401: no key, or a key that is not accepted
        |-- TierRequired            402, 403: the key's tier does not include the requested data
        |-- UnknownPlatform         404: the service does not track the platform
        |-- RateLimited             429: the server requires a wait longer than the client's limit
        |-- InvalidAnswer           the answer differs from the specification
        `-- Unreachable             no answer: refused, cut off, or out of time
"""


class RiskAnalyticsError(Exception):
    """Root of all errors raised on purpose; the message is one line for a person."""


class SettingsError(RiskAnalyticsError):
    """A setting is missing, contradictory or malformed."""


class DatabaseError(RiskAnalyticsError):
    """A database cannot be opened, read or written, or belongs to another program."""


class DeliveryError(RiskAnalyticsError):
    """A mail or an alert could not be delivered.

    If the mail was to bring the key of a subscription, the subscription was not started. An alert is sent again at the next run.
    """


class IngestError(RiskAnalyticsError):
    """A collection (archive of policies) cannot be read, is incomplete, or is not a collection."""


class PullError(RiskAnalyticsError):
    """A folder of pulls cannot be read or written, or a pull in it is damaged; the message names the file."""


class SurfaceError(RiskAnalyticsError):
    """The TOML file that defines a surface is malformed; the message names the file, the place in it and the reason."""


class ExtractionError(RiskAnalyticsError):
    """A rule of the extraction is malformed, or an extracted quote is not in its text."""


class LabelsError(RiskAnalyticsError):
    """The labels of documents, for measuring accuracy, are missing, or a line of their file is malformed."""


class ReaderError(RiskAnalyticsError):
    """A reader (language model) cannot be used, or its answers cannot be read; the message never contains its key."""


class EvidenceError(RiskAnalyticsError):
    """A quote does not verify, or a page or evidence pack cannot be read, made or trusted."""


class MissingExtraError(RiskAnalyticsError):
    """An optional package is not installed; the message says what to install."""


class ExecutorError(RiskAnalyticsError):
    """A task could not run on a Dask cluster or in another process: no worker answered, versions differ, or a process ended."""


class ClusterGoneError(ExecutorError):
    """The Dask cluster ended or became unreachable before the task was done."""


class ReportError(RiskAnalyticsError):
    """A report could not be made; nothing was published.

    Attributes
    ----------
    cell : int or None
        Number of the failed cell of the notebook, from 1.
    """

    cell: int | None = None


class ParameterError(ReportError):
    """A parameter of a notebook, function or command is unknown or invalid."""


class IncompleteReportError(ReportError):
    """The data do not suffice for the report (exit code 3)."""


class ServiceError(RiskAnalyticsError):
    """A server reported a failure.

    Parameters
    ----------
    message : str
        One line: what is wrong and what to do.
    status : int, optional
        HTTP status, 0 without an answer.
    detail : str, optional
        Short, cleaned text of the answer's body.
    retry_after : float, optional
        Seconds to wait (Retry-After); None if the server did not say.
    """

    def __init__(self, message: str, *, status: int = 0, detail: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after


class NotAuthorised(ServiceError):  # noqa: N818 (named for the answer, as the specification's readers say it)
    """401: no key was sent, or the key is not accepted."""


class TierRequired(ServiceError):  # noqa: N818
    """402 or 403: the tier of the key does not include the requested data."""


class UnknownPlatform(ServiceError):  # noqa: N818
    """404: the service does not track this platform."""


class RateLimited(ServiceError):  # noqa: N818
    """429: the server requires a longer wait than this client accepts (`retry_after`)."""


class InvalidAnswer(ServiceError):  # noqa: N818
    """The answer differs from the specification (wrong type, incomplete, not JSON)."""


class Unreachable(ServiceError):  # noqa: N818
    """There was no answer: connection refused, cut off, or out of time."""


class NoConnection(Unreachable):
    """No connection was ever made: the address is wrong, or its server is down."""


def one_line(error: Exception) -> str:
    """Return the message of a library's error as one line, shortened if long.

    Parameters
    ----------
    error : Exception
    """
    return cut_inside(" ".join(str(error).split()), 300)


def cut_inside(text: str, most: int) -> str:
    """Return a text, shortened in its middle if long, because the end of a message says what to do.

    Parameters
    ----------
    text : str
    most : int
        Maximum number of characters.

    Examples
    --------
    >>> cut_inside("the folder could not be read, as nobody may read it: give another folder", 52)
    'the folder could […] may read it: give another folder'
    """
    if len(text) <= most:
        return text
    head, tail = text[: most // 3], text[len(text) - most + most // 3 :]
    return f"{head.rpartition(' ')[0] or head} […] {tail.partition(' ')[2] or tail}"
