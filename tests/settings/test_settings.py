"""Arguments before environment before defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from riskanalytics import settings
from riskanalytics.errors import SettingsError
from riskanalytics.settings import load_settings, package_hash


def test_arguments_hide_the_environment() -> None:
    environment = {"RISKANALYTICS_BASE_URL": "https://e.example", "RISKANALYTICS_CACHE": "/c"}
    assert load_settings(environment=environment).base_url == "https://e.example"
    chosen = load_settings(database="a.sqlite", environment=environment)
    assert (chosen.base_url, chosen.database, chosen.cache) == (None, Path("a.sqlite"), Path("/c"))
    assert load_settings(base_url="https://a.example//", environment=environment).base_url == "https://a.example"


def test_nothing_set_means_the_embedded_demo() -> None:
    chosen = load_settings(environment={"RISKANALYTICS_BASE_URL": " "})
    assert (chosen.base_url, chosen.database) == (None, None)


def test_two_sources_at_once_are_refused() -> None:
    both = {"RISKANALYTICS_BASE_URL": "https://e.example", "RISKANALYTICS_DATABASE": "a.sqlite"}
    for call in (
        lambda: load_settings(environment=both),
        lambda: load_settings(base_url="x", database="y", environment={}),
    ):
        with pytest.raises(SettingsError, match="both a database and the address"):
            call()


@pytest.mark.parametrize("key", ["svc_a b", "svc_a\n", "svc_é", "\tsvc_canary", "svc_\x00"])
def test_a_key_that_cannot_be_a_header_is_refused_without_being_repeated(key: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(environment={"RISKANALYTICS_API_KEY": key})
    assert key.strip() not in str(refused.value)


def test_responses_are_cached_up_to_a_size_and_not_at_all_for_size_0() -> None:
    assert load_settings(environment={}).answers == 256
    assert load_settings(environment={"RISKANALYTICS_ANSWERS": "0"}).answers == 0
    assert (
        load_settings(environment=load_settings(environment={"RISKANALYTICS_ANSWERS": "9"}).environment()).answers == 9
    )
    for text in ("-1", "1.5", "many", "9" * 9):
        with pytest.raises(SettingsError, match="whole number of MiB"):
            load_settings(environment={"RISKANALYTICS_ANSWERS": text})


@pytest.mark.parametrize("text", ["0", "-1", "inf", "nan", "soon"])
def test_a_deadline_that_is_no_number_above_0_is_refused(text: str) -> None:
    with pytest.raises(
        SettingsError, match=f"RISKANALYTICS_DEADLINE must be a number of seconds above 0, not '{text}'"
    ):
        load_settings(environment={"RISKANALYTICS_DEADLINE": text})


def test_another_process_gets_the_same_settings_but_not_the_mail_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"BASE_URL": "", "API_KEY": "k1-canary", "CACHE": "/c", "ANSWERS": "9", "DEADLINE": "7.5"}
    values = {f"RISKANALYTICS_{name}": value for name, value in given.items()}
    mail = "smtp://ann:canary@mail.example"
    named = {"RISKANALYTICS_DATABASE": "a.sqlite", "RISKANALYTICS_SMTP": mail}
    chosen = load_settings(environment=values | named)
    assert chosen.environment() == values | {"RISKANALYTICS_DATABASE": str(Path.cwd() / "a.sqlite")}
    assert (chosen.deadline, chosen.smtp, "canary" in repr(chosen)) == (7.5, mail, False)


def test_keys_and_passwords_are_secrets_and_ordinary_words_of_vendors_are_not() -> None:
    def secrets(password: str) -> tuple[str, ...]:
        result = {
            "RISKANALYTICS_DATABASE": f"postgresql://ann{password}@db.example/archive",
            "RISKANALYTICS_API_KEY": "k1",
        }
        return load_settings(environment=result).secrets

    assert secrets("") == ("k1",)
    assert secrets(":training") == ("k1", "postgresql://ann:training@db.example/archive")
    assert secrets(":a%40b-c-d-e")[2:] == ("a%40b-c-d-e", "a@b-c-d-e")
    assert (secrets(":abc-1234")[2:], secrets(":abc-123")[2:]) == (("abc-1234",), ())


def test_another_file_of_the_package_makes_another_hash_but_not_a_notebook_or_what_python_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "__file__", str(tmp_path / "settings" / "__init__.py"))
    for folder in ("settings", "demo/__pycache__", "notebooks"):
        (tmp_path / folder).mkdir(parents=True)
    hashes = []
    for name in ("demo/a.py", "demo/a.toml", "b.toml", "demo/notebooks", "notebooks/a.ipynb", "demo/__pycache__/a.pyc"):
        (tmp_path / name).write_text("x")
        hashes.append(package_hash.__wrapped__())
    assert len(set(hashes)) == 4
    assert len(set(hashes[3:])) == 1
    (tmp_path / "b.toml").write_text("y")
    assert package_hash.__wrapped__() not in hashes
