"""How sure a language model is of each verdict: the probability of its words, from the log-probabilities of their tokens.

Only some servers return log-probabilities. They do so beside the text of the answer (Ollama: beside the message).
"""

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate
from math import exp
from typing import Any, Final

from .guide import parsed

_OBJECT: Final = re.compile(r"\{[^{}]*\}")
"""A JSON object without objects in it, as a verdict is one."""
_NEVER: Final = -1e9
"""Log-probability of a word that a model never writes."""
_WORD: Final = re.compile(r'"(?:surface|risk|polarity|stance)"\s*:\s*"(\w+)"')


def with_probabilities(content: str, logprobs: object) -> str:
    """Return the text of an answer with the field `probability` added to each verdict, or unchanged without log-probabilities.

    The probability is that of the least probable word of the verdict: surface, level, effect or stance. The probability of a
    word is the exponential of the sum of its tokens' log-probabilities. Other tokens do not count: what the schema enforces
    has low log-probabilities on servers that compute them without the schema.

    Parameters
    ----------
    content : str
        Text of the answer.
    logprobs : object
        The tokens of the text as the server returned them: a list of objects with `token` (str) and `logprob` (number), or an
        object with such a list as `content`. Lists of another form, or whose tokens do not contain the text, do not count.
    """
    rows = logprobs.get("content") if isinstance(logprobs, dict) else logprobs
    tokens = [token for row in rows if (token := _token(row))] if isinstance(rows, list) else []
    first = "".join(text for text, _ in tokens).rfind(content)
    ends = [end - first for end in accumulate(len(text) for text, _ in tokens)]
    upto = [*accumulate((logprob for _, logprob in tokens), initial=0.0)]

    def probable(verdict: re.Match[str]) -> str:
        if "surface" not in parsed(verdict[0]):  # a brace inside a string ends no object
            return verdict[0]
        places = [word.span(1) for word in _WORD.finditer(content, *verdict.span())]
        sums = [upto[bisect_left(ends, end) + 1] - upto[bisect_right(ends, start)] for start, end in places]
        return f'{verdict[0][:-1].rstrip()}, "probability": {exp(min(sums, default=0.0)):.4f}}}'

    return _OBJECT.sub(probable, content) if tokens and first >= 0 else content


def _token(row: Any) -> tuple[str, float] | None:
    """Return a token and its log-probability, which is very low if it is not a number; None if the row has another form."""
    match row:
        case {"token": str(text), "logprob": float() | int() as logprob}:
            return text, float(max(_NEVER, min(logprob, 0)))
    return None
