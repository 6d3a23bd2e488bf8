"""Quotes looked up in a browser: whether a text fragment marks exactly their words on a page."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from markdown_it import MarkdownIt

from riskanalytics.text.page_words import text_fragment

BEGIN, END = "\ue010", "\ue011"
"""Stand in the Markdown where a quote begins and ends, and become empty elements: the page tells where it is."""

_NOT_SHOWN: Final = re.compile(r"<[^<>]*>|(?<=\])\((?:[^()\s]|\([^()]*\))*\)?")
"""Tags, and where links lead: no letter that a page shows stands there."""
_TOLERATED: Final = 0.01
"""Share of the pixels that may be unpainted: letters of another height in one line."""
_STYLE: Final = (
    "body{font:16px/24px serif;width:900px;margin:20px;color:#000;background:#fff}a{color:#000}"
    "*{border:0!important}::target-text{background-color:#ff00ff;color:transparent}"
)
_EXPECTED: Final = """() => {
  const range = document.createRange();
  document.getElementById('begin').scrollIntoView({block: 'center', behavior: 'instant'});
  range.setStartAfter(document.getElementById('begin'));
  range.setEndBefore(document.getElementById('end'));
  const whole = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!range.intersectsNode(node)) continue;
    const part = document.createRange();
    part.selectNodeContents(node);
    if (range.comparePoint(node, 0) < 0) part.setStart(range.startContainer, range.startOffset);
    if (range.comparePoint(node, node.length) > 0) part.setEnd(range.endContainer, range.endOffset);
    for (const box of part.getClientRects())
      if (box.width > 0) whole.push([box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY]);
  }
  const shown = whole.map(([l, t, r, b]) => [l - scrollX, t - scrollY, r - scrollX, b - scrollY]);
  return {boxes: shown, words: range.toString()};
}"""
_MARKED: Final = """async ([png, boxes]) => {
  const picture = new Image();
  picture.src = 'data:image/png;base64,' + png;
  await picture.decode();
  const sheet = document.createElement('canvas');
  sheet.width = picture.width; sheet.height = picture.height;
  const pen = sheet.getContext('2d', {willReadFrequently: true});
  pen.drawImage(picture, 0, 0);
  const {data, width, height} = pen.getImageData(0, 0, picture.width, picture.height);
  const inside = (x, y, more, end = more) => boxes.some(([l, t, r, b]) =>
    x >= l - more && x < r + end && y >= t - more && y < b + more);
  let lacking = 0, stray = 0, marked = 0;
  for (let y = 0; y < height; y += 2) for (let x = 0; x < width; x++) {
    const at = 4 * (y * width + x);
    const pink = data[at] > 200 && data[at + 1] < 60 && data[at + 2] > 200;
    marked += pink;
    if (pink && !inside(x, y, 2, 8)) stray++;
    if (!pink && inside(x, y, -2)) lacking++;
  }
  return {marked, stray, lacking};
}"""


def page_of(text: str, start: int, end: int) -> str:
    """Return a snapshot as a page on which a quote's first and last letter are told by empty elements."""
    shown = text[:start] + _NOT_SHOWN.sub(lambda mark: " " * len(mark[0]), text[start:end])
    inner = [place for place in range(start, end) if shown[place].isalnum()]
    if not inner:
        return ""
    first, last = inner[0], inner[-1] + 1
    result = text[:first] + BEGIN + text[first:last] + END + text[last:]
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(result)
    if body.count(BEGIN) != 1 or body.count(END) != 1 or re.search(f"<[^<>]*[{BEGIN}{END}]", body):
        return ""  # they came into what no page shows, such as the words for a picture
    body = body.replace(BEGIN, "<i id=begin></i>").replace(END, "<i id=end></i>")
    return f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style><title>A policy</title>{body}"


def looked_up(
    browser: Any, quotes: Sequence[tuple[str, int, int]], name: Callable[[str, int, int], str] = text_fragment
) -> Iterator[dict[str, Any]]:
    """Open each quote's page by its text fragment, and tell what the browser marked beside what it should have.

    Chromium tells no script what a text fragment found. It paints it (`::target-text`), so the painted pixels are compared
    with the boxes of the quote's letters: none may be lacking, and no pixel may be painted elsewhere, but for
    a full stop behind them.
    """
    context = browser.new_context(viewport={"width": 960, "height": 1200})
    pages: dict[str, str] = {}

    def served(route: Any) -> None:
        route.fulfill(body=pages.get(route.request.url.partition("#")[0], ""), content_type="text/html")

    context.route("**/*", served)
    judge, view = context.new_page(), context.new_page()
    for number, (text, start, end) in enumerate(quotes):
        address = f"https://policy.example/{number}"
        pages.clear()
        pages[address] = page_of(text, start, end)
        fragment = name(text, start, end)
        if not pages[address]:
            yield {"number": number, "fragment": fragment, "skipped": True}
            continue
        view.goto(f"{address}#:~:{fragment}")
        result = view.evaluate(_EXPECTED)
        picture = base64.b64encode(view.screenshot()).decode()
        found = judge.evaluate(_MARKED, [picture, result["boxes"]])
        right = found["marked"] > 0 and found["stray"] == 0 and found["lacking"] <= _TOLERATED * found["marked"]
        yield {"number": number, "fragment": fragment, "skipped": False, "right": right, **result, **found}
