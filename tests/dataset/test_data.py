"""The data of a report: loaded when asked for, narrowed without loading again, never today's state for a past day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.client.connection import recorded
from riskanalytics.errors import IncompleteReportError, ParameterError, ReportError, ServiceError
from riskanalytics.frames import platforms_frame, rows_of
from tests.http_server import reply, serving
from tests.service.fixtures import build_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("dataset"))


@pytest.fixture
def client(database: Path) -> Iterator[Client]:
    with ra.connect(database=database) as client:
        yield client


def test_a_data_set_holds_every_frame_of_its_day(client: Client) -> None:
    data = ra.load(client)
    assert data.day == data.newest
    assert data.past is None
    assert data.slugs == ["aurelia-chat", "cafe-lumiere", "northwind-draft"]
    assert len(data.surfaces) == 36
    assert data.training_use["stance"].fillna("not known").tolist() == [
        "does_not_train",
        "undetermined",
        "not known",
    ]
    assert len(data.documents) == 4
    assert len(data.findings) == len(ra.load(client).findings)
    assert data.coverage["tracked"].tolist() == [3]
    changes = data.changes()
    assert changes is not None
    assert len(changes) == 1
    assert data.extraction["version"]


def test_a_past_day_is_the_state_of_that_day(client: Client) -> None:
    data = ra.load(client, "2026-01-31")
    assert data.past == date(2026, 1, 31)
    assert data.training_use["stance"].tolist() == ["trains_by_default"]
    assert (data.coverage["tracked"].tolist(), ra.load(client).at("2026-01-31").slugs) == ([1], ["aurelia-chat"])
    assert len(ra.load(client).at(date(2026, 1, 31)).platforms) == 1
    assert ra.load(client).at(date(2025, 1, 31)).platforms.empty


def test_named_platforms_alone_are_loaded_and_narrowing_loads_nothing_again(client: Client) -> None:
    named = ra.load(client, platforms="cafe-lumiere")
    assert set(named.findings["slug"]) == {"cafe-lumiere"}
    assert [record["slug"] for record in named.records] == ["cafe-lumiere"]
    whole = ra.load(client)
    rows = len(whole.findings)
    with pytest.raises(ParameterError, match="did you mean cafe-lumiere"):
        whole.of(["cafe-lumier"])
    assert len(whole.documents) == 4
    narrowed = whole.of(["aurelia-chat", "cafe-lumiere"]).of(["cafe-lumiere"])
    assert (narrowed.market is whole, set(narrowed.documents["slug"])) == (True, {"cafe-lumiere"})
    narrowed.client = None  # nothing is left to fetch from
    assert [record["slug"] for record in narrowed.records] == ["cafe-lumiere"]
    pd.testing.assert_frame_equal(narrowed.findings, named.findings)
    assert len(whole.findings) == rows


def test_frames_can_be_given_without_a_service_and_nothing_is_fetched(client: Client) -> None:
    findings = ra.load(client).findings
    data = ra.Dataset(None).replaced(findings=findings.head(2))
    assert len(data.findings) == 2
    with pytest.raises(ReportError, match="has no client"):
        data.platforms  # noqa: B018
    with pytest.raises(ReportError, match="no frame 'clauses'"):
        data.replaced(clauses=findings)


def test_checked_quotes_are_counted_once_and_failures_kept(client: Client) -> None:
    data = ra.load(client)
    findings = data.findings.head(3).copy()
    data.verify(findings)
    data.of(["aurelia-chat"]).read(findings)
    places = [[row[name] for name in ("snapshot_sha256", "start", "end", "quote")] for row in rows_of(findings)]
    assert data.checks == {tuple(place): "verified" for place in places}
    findings.loc[0, "quote"] = "Words that stand nowhere."
    assert data.verify(findings)["verification_status"].tolist().count("verified") == 2
    assert len(data.checks) == 4


def test_changes_hidden_from_a_key_are_not_returned() -> None:
    for status in ("401 x", "402 x", "403 x", "404 x"):
        with serving(reply(status)) as server, Client(server.url, "svc_x") as client:
            data = ra.Dataset(None).replaced(newest=date(2026, 3, 31), slugs=["a"])
            data.client = client
            assert data.changes() is None
    with serving(reply("418 x")) as server, Client(server.url, "svc_x") as client:
        data.client = client
        with pytest.raises(ServiceError, match="status 418"):
            data.changes()


def test_months_of_changes_are_months_of_the_calendar_before_the_day() -> None:
    asked: list[dict[str, str]] = []

    def answer(_: str, query: Mapping[str, str]) -> tuple[int, str, bytes]:
        asked.append(dict(query))
        return 200, "application/json", b'{"total": 0, "data": []}'

    given = {
        "newest": date(2026, 5, 1),
        "day": date(2026, 3, 31),
        "slugs": ["a"],
        "tracked": platforms_frame([{"id": "a"}]),
    }
    data = ra.Dataset(None).replaced(**given)
    with Client("https://a.example", "svc_x", transport=recorded(answer)) as data.client:
        data.changes("2026-03-15", months=1, change_class="format")
        assert len(data.views.failures) == 0
    assert asked[-1]["class"] == "capture_failure"
    assert asked[0] == {"since": "2026-02-28", "until": "2026-03-31", "class": "format", "limit": "500"}


def test_what_led_to_a_past_day_ends_on_that_day_and_is_of_the_platforms_of_the_data_set(client: Client) -> None:
    data, new = ra.load(client, "2026-02-28", "cafe-lumiere"), ra.load(client)
    assert (data.changes().empty, new.of("cafe-lumiere").changes().empty) == (True, True)  # type: ignore[union-attr]
    history = data.history(1)
    assert history["date"].dt.strftime("%m-%d").tolist() == ["02-28"]
    assert set(history["slug"]) == {"cafe-lumiere"}
    counts = data.coverage_history(1)
    assert counts is not None
    assert counts["as_of"].dt.strftime("%m-%d").tolist() == ["01-31", "02-28"]
    for day, ends in (("2025-12-31", ["2025-09-30", "2025-12-31"]), ("2026-02-28", ["2025-12-31", "2026-02-28"])):
        states = ra.load(client, day).past_states("aurelia-chat", 1).states
        assert states["date"].dt.strftime("%Y-%m-%d").tolist() == ends


def test_only_a_service_that_says_so_has_an_unfinished_ingest(client: Client) -> None:
    for said, unfinished in ((True, True), (False, False), ("no", False), (None, False)):
        assert ra.load(client).replaced(_counted={"unfinished": said}).unfinished is unfinished


@pytest.mark.parametrize(
    ("as_of", "platforms", "error", "said"),
    [
        ("2027-01-01", (), IncompleteReportError, "which end on"),
        ("July", (), ParameterError, "a day is YYYY-MM-DD"),
        ("", ["aurelia"], ParameterError, "did you mean aurelia-chat"),
        ("2020-01-01", ["aurelia-chat"], IncompleteReportError, "no platform was tracked"),
    ],
)
def test_unknown_days_and_platforms_are_refused_at_once(
    client: Client, as_of: str, platforms: list[str], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        ra.load(client, as_of, platforms)


def test_a_month_gives_the_data_at_its_end(client: Client) -> None:
    data = ra.load(client, month="2026-02")
    assert (data.span and data.span.month, data.day) == ("2026-02", date(2026, 2, 28))
    # without a name, the last complete month
    assert ra.load(client, month="").span == data.span
    with pytest.raises(IncompleteReportError, match="February 2020 is before the data"):
        ra.load(client, month="2020-02")
    assert ra.load(client, "2020-02-29").tracked.empty


def test_the_digest_depends_on_the_data_only(client: Client) -> None:
    first, again = ra.load(client).digest(), ra.load(client).digest()
    assert first == again
    assert ra.load(client, platforms=["cafe-lumiere"]).digest() != first
    assert ra.load(client).digest(pd.DataFrame({"a": [1]})) != first
    data = ra.load(client)
    for name, column in (("findings", "risk"), ("findings", "finding_id"), ("platforms", "rating")):
        frame = getattr(data, name)
        assert data.replaced(**{name: frame.assign(**{column: frame[column].to_numpy()[::-1]})}).digest() != first, (
            column
        )


@pytest.mark.parametrize(
    "as_of", [date(2026, 1, 31), datetime(2026, 1, 31, 9), pd.Timestamp("2026-01-31"), "2026-01-31"]
)
def test_a_day_is_taken_in_any_form_and_a_platform_as_text(client: Client, as_of: date | str) -> None:
    data = ra.load(client, as_of, "aurelia-chat")
    assert data.day == date(2026, 1, 31)
    assert data.slugs == ["aurelia-chat"]
    assert ra.load(client).at(as_of).day == data.day
    pd.testing.assert_frame_equal(data.of("aurelia-chat").findings, data.findings)


def test_platforms_are_taken_as_a_column_of_a_frame(client: Client) -> None:
    data = ra.load(client, platforms=ra.load(client).platforms["slug"].head(2))
    assert data.slugs == ["aurelia-chat", "cafe-lumiere"]
    assert data.of(data.platforms["slug"].tail(1)).slugs == ["cafe-lumiere"]
    assert data.of([]).platforms.empty


def test_the_days_since_a_day_give_the_newest_data(client: Client) -> None:
    data = ra.load(client, since="2026-02-28")
    assert data.span is not None
    assert (str(data.span.first), str(data.span.until), data.day) == ("2026-03-01", "2026-03-05", date(2026, 3, 5))
    with pytest.raises(ParameterError, match="or month, not both"):
        ra.load(client, month="2026-02", since="2026-02-28")
    with pytest.raises(ParameterError, match="needs the folder of earlier reports"):
        ra.load(client, since="last")


def test_a_month_and_a_portfolio_give_the_data_set_of_a_report(client: Client, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("slug\naurelia-chat\nnobody\n", encoding="utf-8")
    data = ra.load(client, month="2026-02", portfolio=tmp_path / "ours.csv")
    assert (data.span and data.span.name, data.day, data.slugs) == ("2026-02", date(2026, 2, 28), ["aurelia-chat"])
    assert data.scope is not None
    assert data.scope.unmatched["given"].tolist() == ["nobody"]
    assert (data.kind, len(data.market.slugs)) == ("portfolio platform", 3)
    alone = ra.load(client, "2026-01-31", portfolio=tmp_path / "ours.csv")
    assert (len(alone.tracked), alone.at("2026-03-05").slugs) == (1, ["aurelia-chat"])
    assert len(ra.load(client, "2026-01-31").at("2026-03-05").slugs) == 3
    assert ra.load(client, platforms="cafe-lumiere,aurelia-chat").at("2026-01-31").slugs == ["aurelia-chat"]
    whole = ra.load(client)
    assert (whole.span, whole.scope, whole.kind, whole.market is whole) == (None, None, "tracked platform", True)


def test_a_shared_analysis_runs_once_and_again_for_other_platforms(client: Client) -> None:
    data = ra.load(client)
    matrix = data.views.risk_matrix
    assert data.views.risk_matrix is matrix
    assert set(data.of(["aurelia-chat"]).views.risk_matrix["slug"]) == {"aurelia-chat"}
    assert data.replaced(findings=data.findings[:0]).views.risk_matrix is not matrix
    shown, given = ra.charts.risk_matrix(data), ra.charts.risk_matrix(matrix)
    assert (shown.title, shown.words) == (given.title, given.words)
    documents = ra.sections.not_policies(data)
    assert documents.text == ra.sections.not_policies(data.views.freshness).text


def test_a_report_of_a_custom_notebook_needs_its_own_title_and_sentences(client: Client) -> None:
    report = ra.Report("mine", ra.load(client))
    with pytest.raises(ReportError, match="mine is not a built-in notebook"):
        report.headline()
    assert report.headline("Mine", ["One."]).text == "Mine\nOne."


def test_without_names_the_first_ranked_platforms_are_taken_and_too_few_are_refused(client: Client) -> None:
    data, ranked = ra.load(client), lambda data: sorted(data.slugs, reverse=True)
    for named in ("", [" "]):
        assert data.named(named, ranked, least=2, most=8) == ["northwind-draft", "cafe-lumiere"]
    assert data.named("cafe-lumiere,aurelia-chat", ranked, least=2) == ["cafe-lumiere", "aurelia-chat"]
    with pytest.raises(IncompleteReportError, match="4 platforms are needed, but 3 are tracked on 2026-03-05"):
        data.named([], ranked, least=4)
    with pytest.raises(ParameterError, match="give one slug, not 2"):
        data.named("cafe-lumiere,aurelia-chat", ranked, most=1)


def test_platforms_and_a_portfolio_are_not_given_together(client: Client, tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("slug\naurelia-chat\n")
    with pytest.raises(ParameterError, match="give platforms or a portfolio, not both"):
        ra.load(client, platforms="aurelia-chat", portfolio=tmp_path / "ours.csv")


def test_only_the_demo_has_an_example_portfolio_and_all_its_rows_are_settled(
    client: Client, embedded_demo: Path
) -> None:
    assert ra.dataset.example_portfolio(client) == ""
    with ra.connect() as demo:
        scope = ra.load(demo, portfolio=ra.dataset.example_portfolio(demo)).scope
    assert scope is not None
    assert scope.open.empty
    assert scope.said == "12 rows: 11 matched, 1 not tracked"
