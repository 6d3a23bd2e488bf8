"""Whether a capture shows the expected document."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.capture import CaptureCheck, check_capture

GOOD = "These terms govern your use of the service. You keep your rights. We process personal data as our policy says. "
BREAD = "We bake bread all day and night for you. "
CHINESE = "本协议说明您使用本服务的条款。我们按照隐私政策处理您的个人信息。"


@pytest.mark.parametrize(
    ("text", "state", "check"),
    [
        ("", "broken", "empty"),
        (" \n\u00a0\u200b", "broken", "empty"),
        ("Privacy Policy", "broken", "title_only"),
        ("This page isn't available. An unexpected error has occurred.", "broken", "error_page"),
        (
            "404\n\nThe page could not be found. Go back to the start page or search our help.",
            "broken",
            "error_page",
        ),
        ("Please enable JavaScript to view this page.", "broken", "script_wall"),
        (
            "Checking your browser. Verify that you are human by completing the captcha.",
            "broken",
            "script_wall",
        ),
        (
            "Log in. Sign up. Forgot your password? Create an account. Remember me. " * 4,
            "not_a_policy",
            "login_page",
        ),
        (
            "Fresh bread every morning, baked with love by our family of bakers. " * 30,
            "not_a_policy",
            "no_policy_words",
        ),
        (GOOD * 3, "good", "passed"),
        (CHINESE * 3, "good", "passed"),
        (CHINESE * 2, "good", "passed"),
        (CHINESE, "broken", "title_only"),
        (f"{GOOD * 3}Please enable JavaScript to view the map.", "good", "passed"),
        (f"{GOOD * 2}Please enable JavaScript to view the map.", "broken", "script_wall"),
        (f"{GOOD * 2}An unexpected error has occurred.", "broken", "error_page"),
        (f"{GOOD * 3}Log in. Sign up. Forgot your password?", "good", "passed"),
        (f"Our personal data policy. {BREAD * 20}", "good", "passed"),
        (f"Our privacy. {BREAD * 5}", "not_a_policy", "no_policy_words"),
        (f"{GOOD * 2}{'Log in. ' * 10}", "good", "passed"),
        (f"{GOOD * 2}{'Log in. ' * 11}", "not_a_policy", "login_page"),
        (f"{GOOD * 2}Are you a robot or not?", "broken", "script_wall"),
        (f"If something went wrong, we say so. {GOOD * 60}", "good", "passed"),
        (f"Please enable JavaScript to view the map. {GOOD * 60}", "good", "passed"),
        (f"Our personal data policy. {BREAD * 60}", "not_a_policy", "no_policy_words"),
    ],
)
def test_each_failure_names_its_check(text: str, state: str, check: str) -> None:
    result = check_capture(text)
    assert (result.state, result.check) == (state, check)


def test_a_short_first_document_is_good() -> None:
    assert check_capture(GOOD * 2).state == "good"


def test_a_text_shorter_than_a_fifth_is_collapsed() -> None:
    assert check_capture(GOOD * 3, last_good=GOOD * 20).check == "collapsed"
    assert check_capture(GOOD * 5, last_good=GOOD * 20).state == "good"
    assert check_capture(GOOD * 4, last_good=GOOD * 20).state == "good"
    assert check_capture((GOOD * 4)[:-1], last_good=GOOD * 20).check == "collapsed"


def test_a_short_text_in_another_script_is_broken() -> None:
    assert check_capture(GOOD * 4, last_good=CHINESE * 20).check == "other_language"
    assert check_capture(GOOD * 4, last_good="Hello.").state == "good"  # too short to have a language


def test_a_text_in_an_unread_language_is_broken_if_the_last_good_text_was_read() -> None:
    swedish = "Vi behandlar personuppgifter enligt villkoren och avtalet om tjänsten. Policy, cookies och data. " * 60
    assert check_capture(swedish, last_good=GOOD * 60).check == "other_language"
    assert check_capture(swedish, last_good=swedish) == check_capture(swedish) == CaptureCheck("good", "passed")
    assert check_capture(GOOD * 60, last_good=swedish).state == "good"


def test_a_page_that_begins_with_an_error_is_an_error_page() -> None:
    assert check_capture(f"# This page isn't available\n\n{GOOD * 60}").check == "error_page"


def test_a_policy_that_mentions_errors_is_good() -> None:
    text = GOOD * 4 + "If something went wrong, we correct personal data on request. Access denied notices are logged."
    assert check_capture(text).state == "good"
