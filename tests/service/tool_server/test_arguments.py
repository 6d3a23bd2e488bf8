"""Arguments that a tool does not take are told in one sentence that repeats nothing of them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from riskanalytics.service.tool_server.arguments import Arguments, ClauseQuery, OnePlatform, SeveralPlatforms, told
from riskanalytics.surfaces import SURFACES


@pytest.mark.parametrize(
    ("model", "arguments", "sentence"),
    [
        (OnePlatform, {"slug": "a", "canary": 1}, "An argument is not known to this tool: send only slug."),
        (OnePlatform, {}, "The argument slug is missing: send slug as the tool's input schema describes them."),
        (OnePlatform, {"slug": 7}, "The argument slug cannot be used: input should be a valid string."),
        (SeveralPlatforms, {"slugs": ["a", "a"]}, "The argument slugs cannot be used: name each platform once."),
        (ClauseQuery, {"query": "?!"}, "The argument query cannot be used: give at least one word to search for."),
        (
            ClauseQuery,
            {"query": "a", "surface": "canary"},
            f"The argument surface cannot be used: use one of {', '.join(SURFACES)}.",
        ),
    ],
)
def test_a_wrong_call_is_told_what_to_send(model: type[Arguments], arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        model.model_validate(arguments)
    assert str(told(model, refused.value)) == sentence
