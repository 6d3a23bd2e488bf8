"""Sixty and more names as people write them, against the platforms of an archive: what is certain is right."""

from __future__ import annotations

import pytest

from riskanalytics.topics.portfolio.names import Names, _products, host, site

TRACKED = """
Aetna; airon; App Store; Apple Business Connect; Apple; ASKfm; Atlassian; Badoo; Bardeen; Berget AI; Binance; Bing;
Blizzard; Bolt Drivers; Bolt.new; Bolt; Brave; ChatGPT; Chayn; Civitai; Claude.ai; Cloudflare; Codeium; Coinbase;
Copy.AI; Couchsurfing; Cursor; Daily Mail; DALL·E=dall-e; DeepSeek; Deliveroo; Deutsche Bahn; Doubao; Dune; eBay;
Energia; fal; Financial Times; Fireworks AI; Frank; Gartner; GitHub Copilot; GitHub; Glassdoor; Glass;
Google Generative AI Services; GraphCMS; Grok; HackerOne; Honkai- Star Rail=honkai-star-rail; Hygraph; iCloud; Imgur;
Incredible; Intric; Jasper; Kick; Kimi AI; Last.fm; Le Chat; LINE; Liquid AI; Llama API; Local Guides; Lovable; Lydia;
Lyft; Match; Microsoft Copilot; Microsoft Store; Midjourney; Mistral AI; Mix; Mullvad; Murf; NordVPN;
Nous Research chat; OkCupid; OKX; OpenAI; OpenRouter; Outbrain; OVHcloud; Palantir; Perplexity; PlayStation Network;
Polyfill.io; Proton Mail; ProtonMail=protonmail; ProtonVPN; Qwant; Qwen Chat; Rephrase.ai; Replicate; Replit; Roblox;
SambaNova; Samsung; Sana; Scribe; Signal; Solana; Sonic.net; sony.com; SOUNDRAW; Spam.org; Spark; Speechify; Spotify;
Stability AI; Starlink; Steam; Telegram; Tempo Labs; The Guardian; The New York Times; The Reach Group; The Register;
Thryv YellowPages; TikTok; Tinder; Together AI; TP-Link=tp-link-5d1f; Tp-link; Ubiquiti; Visible; Vodafone.ie; VR;
Wargaming; Wenxinyiyan; Wikimedia Foundation; Wise; Wix; Wordtune; World Market; xAI=xai; Xfinity; Yahoo; Yelp; Zoosk
"""


def platform(entry: str) -> dict[str, object]:
    """A platform by its name, and by its slug where that is not the name in small letters."""
    name, _, slug = entry.strip().partition("=")
    return {"slug": slug or name.lower().replace(" ", "-").replace(".", "-"), "name": name, "website": None}


NAMES = Names([platform(entry) for entry in TRACKED.replace("\n", " ").split(";")])
MEANT = {
    "Open AI": "openai", "OPENAI, INC.": "openai", "openai.com": "openai", "chat gpt": "chatgpt",
    "Chat-GPT": "chatgpt", "chatgpt": "chatgpt", "ChatGPT (OpenAI)": "chatgpt", "chat.openai.com": "chatgpt",
    "ChatGPT Enterprise": "chatgpt", "https://chat.openai.com/c/1": "chatgpt", "GitHub Co-Pilot": "github-copilot",
    "Github copilot business": "github-copilot", "https://github.com/features/copilot": "github-copilot",
    "Git Hub": "github", "MS Copilot": "microsoft-copilot", "Bing Chat": "microsoft-copilot",
    "perplexity.ai": "perplexity", "https://www.perplexity.ai/": "perplexity", "Perplexity AI, Inc.": "perplexity",
    "Perplexitiy": "perplexity", "Anthropic": "claude-ai", "Antropic": "claude-ai", "Claude": "claude-ai",
    "Claude by Anthropic": "claude-ai", "Claude 3.5 Sonnet": "claude-ai", "Google Gemini": "google-generative-ai-services",
    "Line": "line", "Mix": "mix", "Match.com": "match", "Match": "match", "bolt.new": "bolt-new", "Bolt": "bolt",
    "Bolt Inc.": "bolt", "Bolt drivers": "bolt-drivers", "TP-Link": "tp-link-5d1f", "tp link": "tp-link",
    "Frank": "frank", "V.R.": "vr", "Dall E 3": "dall-e", "Midjurney": "midjourney", "Mid journey": "midjourney",
    "Windsurf": "codeium", "Codium": "codeium", "文心一言": "wenxinyiyan", "豆包": "doubao", "Moonshot": "kimi-ai",
    "Llama": "llama-api", "Mistral": "mistral-ai", "Mistral Le Chat": "le-chat", "x.ai": "xai", "Deep Seek": "deepseek",
    "The Guardian Ltd": "the-guardian", "New York Times": "the-new-york-times", "Vodafone": "vodafone-ie",
    "PROTONMAIL": "protonmail", "Sony": "sony-com", "Yellow Pages": "thryv-yellowpages", "Apple Inc.": "apple",
    "fal.ai": "fal", "Last FM": "last-fm", "Sambanova Systems": "sambanova", "OVH": "ovhcloud", "Tempo": "tempo-labs",
    "Honkai: Star Rail": "honkai-star-rail", "Stability": "stability-ai", "signal.org": "signal",
}  # fmt: skip
NOT_TRACKED = [
    "Gemini", "Bard", "Notion AI", "Slack", "Zoom", "Grammarly", "Google", "Microsoft", "Alibaba", "Meta", "Copilot",
    "Microsoft 365 Copilot", "Signal.ai", "Signal AI", "Glass AI", "The Mix", "Franklin", "Groq", "X", "DeepL",
    "Stable Diffusion", "Hugging Face", "Character.ai", "Poe", "You.com", "Canva", "Runway", "Spark AI", "Line AI",
    "Bolt AI", "Match Group", "Google Play", "github.com/features/copilot", "---", "?",
]  # fmt: skip


def test_certain_matches_are_right_and_nine_of_ten_others_are_among_three_candidates() -> None:
    certain = {given: hits for given in MEANT if len(hits := NAMES.certain({"name": given})) == 1}
    assert {given: hits[0].slug for given, hits in certain.items()} == {given: MEANT[given] for given in certain}
    rest = [given for given in MEANT if given not in certain]
    offered = {given: [hit.slug for hit in NAMES.candidates({"name": given})] for given in rest}
    missed = [given for given in rest if MEANT[given] not in offered[given]]
    assert len(MEANT) >= 60
    assert len(certain) >= 2 * len(MEANT) / 3, rest
    assert len(missed) <= len(rest) / 10, {given: offered[given] for given in missed}


@pytest.mark.parametrize("given", NOT_TRACKED)
def test_a_name_that_is_not_tracked_is_never_certain(given: str) -> None:
    assert len(NAMES.certain({"name": given})) != 1
    near = NAMES.candidates({"name": given})
    assert len(near) <= 3
    assert all(0 < hit.confidence < 0.8 for hit in near)


@pytest.mark.parametrize(
    ("given", "slug", "matched_by", "confidence"),
    [({"slug": "bolt", "name": "Bolt.new"}, "bolt", "slug", 1.0), ({"name": "wordtune"}, "wordtune", "slug", 1.0),
     ({"name": "WORDTUNE"}, "wordtune", "slug", 1.0), ({"name": "le chat"}, "le-chat", "name", 1.0),
     ({"slug": "OpenAI LLC"}, "openai", "spelling", 0.95),
     ({"name": "OpenAI LLC"}, "openai", "spelling", 0.95), ({"name": "Windsurf"}, "codeium", "alias", 0.9),
     ({"name": "Moonshot AI"}, "kimi-ai", "maker", 0.8), ({"website": "https://www.perplexity.ai"}, "perplexity", "spelling", 0.95),
     ({"name": "ChatGPT", "website": "https://openai.com"}, "chatgpt", "name", 1.0),
     ({"name": "TP-Link"}, "tp-link-5d1f", "name", 1.0), ({"name": "Tp-link"}, "tp-link", "name", 1.0)],
)  # fmt: skip
def test_how_a_name_was_matched_is_said_with_how_sure_that_is(
    given: dict[str, str], slug: str, matched_by: str, confidence: float
) -> None:
    (hit,) = NAMES.certain(given)
    assert hit.slug == slug
    assert hit.confidence == confidence
    assert hit.matched_by in (matched_by, "slug" if confidence == 1 else matched_by)


@pytest.mark.parametrize(
    "given",
    [{"name": "Bolt", "website": "https://bolt.new"}, {"name": "Sora", "website": "openai.com"},
     {"name": "TP-LINK"}, {"website": "https://github.com/features/copilot"}],
)  # fmt: skip
def test_contradicting_or_vague_columns_make_no_match_certain(given: dict[str, str]) -> None:
    assert len(NAMES.certain(given)) != 1
    assert NAMES.candidates(given)


def test_an_alias_is_certain_only_if_one_tracked_platform_has_it() -> None:
    both = Names([platform("Claude"), platform("Claude.ai"), platform("Kimi Chat"), platform("Gemini")])
    assert len(both.certain({"name": "Anthropic"})) == 2
    assert {hit.slug for hit in both.candidates({"name": "Anthropic"})} == {"claude", "claude-ai"}
    assert [hit.slug for hit in both.certain({"name": "Google Bard"})] == ["gemini"]
    assert [hit.slug for hit in both.certain({"name": "Moonshot"})] == ["kimi-chat"]
    by_slug = Names([platform("House name=codeium")])
    assert [tuple(hit) for hit in by_slug.certain({"name": "Windsurf"})] == [("codeium", "House name", "alias", 0.9)]


def test_a_website_is_certain_only_alone_and_where_the_platform_has_the_host_or_the_path() -> None:
    names = Names(
        [
            {"slug": "lens", "name": "Opal Lens", "website": "https://www.opal.example/products/lens"},
            {"slug": "tarn", "name": "Tarn", "website": "https://tarn.example/"},
        ]
    )
    assert [hit.slug for hit in names.certain({"website": "opal.example/products/lens/"})] == ["lens"]
    assert [hit.slug for hit in names.certain({"website": "https://tarn.example/models/7"})] == ["tarn"]
    for given in (
        {"name": "Paintbox", "website": "https://opal.example"},
        {"website": "https://opal.example/paintbox"},
        {"name": "Ledger", "website": "https://tarn.example"},
    ):
        assert names.certain(given) == []
        near = [("tarn", 0.75), ("lens", 0.56)] if given.get("name") == "Ledger" else [("lens", 0.75), ("tarn", 0.56)]
        assert [(hit.slug, hit.confidence) for hit in names.candidates(given)] == near


@pytest.mark.parametrize(
    ("given", "slugs"),
    [("OpenAI LLC", ["openai"]), ("Apple Inc.", []), ("deepseek.com", ["deepseek"]), ("lovable.io", []),
     *((f"{one}", ["chatgpt"]) for one in ("OpenAI ChatGPT", "ChatGPT (OpenAI)", "ChatGPT by OpenAI", "chat.openai.com/")),
     ("The Gartner", ["gartner"]), ("binance.com", []), ("StackBlitz", []), ("Replit.com", ["replit"]),
     *((f"coinbase.{end}", ["coinbase"]) for end in ("ai", "app", "com", "io", "net", "org")), ("coinbase.de", []),
     *((f"GARTNER {form}", ["gartner"]) for form in ("Inc.", "Incorporated", "GmbH", "Ltd", "Limited", "LLC", "Corp", "Corporation",
                                                     "PLC", "PBC", "AG", "AB", "BV", "SAS")),
     ("Gartner Co. Ltd.", []), ("Gartner Holding Ltd.", []), ("Gartner Corp., Inc.", ["gartner"])],
)  # fmt: skip
def test_a_short_name_without_its_legal_form_or_ending_is_not_certain(given: str, slugs: list[str]) -> None:
    assert [hit.slug for hit in NAMES.certain({"name": given})] == slugs


def test_candidates_are_the_likeliest_first() -> None:
    near = NAMES.candidates({"name": "Proton"})
    assert [hit.slug for hit in near] == ["proton-mail", "protonvpn", "protonmail"]
    assert [hit.confidence for hit in near] == sorted((hit.confidence for hit in near), reverse=True)
    assert NAMES.candidates({"name": "Qqqq"}) == []
    likely = {
        "Gardner": [("gartner", 0.64), ("the-guardian", 0.5), ("dune", 0.46)], "Chat": [("chatgpt", 0.61), ("chayn", 0.5)],
        "OPENAI, INC.": [("chatgpt", 0.71), ("dall-e", 0.71), ("openai", 0.71)],
        "MS Copilot": [("microsoft-copilot", 0.75), ("github-copilot", 0.61)],
    }  # fmt: skip
    for given, hits in likely.items():
        assert [(hit.slug, hit.confidence) for hit in NAMES.candidates({"name": given})] == hits, given


def test_no_name_means_two_products_and_a_makers_name_stands_for_a_product_only_where_the_table_says_so() -> None:
    names = [key for product in _products() for key in product["own"]]
    assert sorted(names) == sorted(set(names))
    sole = ["Claude.ai", "Kimi AI", "Codeium", "Cursor", "Nous Research chat", "Character.AI"]
    assert [product["names"][0] for product in _products() if product.get("sole")] == sole


@pytest.mark.parametrize(
    ("address", "place"),
    [("https://www.Opal.example:8080/A/b/?q=1", "opal.example/A/b"), ("opal.example.", "opal.example"), ("http://[bad", ""),
     ("", ""), ("user@opal.example/#a", "opal.example")],
)  # fmt: skip
def test_an_address_is_its_host_and_path(address: str, place: str) -> None:
    assert site(address) == place
    assert host(address) == place.partition("/")[0]
