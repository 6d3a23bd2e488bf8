"""What a clause names: recipients, purposes, conditions, periods.

Two versions of a policy often say the same in other words. A finding is new in substance, or gone, only where it names
something that what it replaced, or what still stands, does not name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from riskanalytics.extraction.align import periods
from riskanalytics.extraction.evidence import grade
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.records import ClauseFinding

_WHO: Final = {
    "authorities": r"law enforcement|authorit|court|subpoena|legal (?:process|request|obligation)|government|comply with"
    r"|regulator|emergenc|protect|法律|司法|政府",
    "processors": r"vendor|processor|supplier|contractor|provider|hosting|服务商|供应商",
    "affiliates": r"affiliat|subsidiar|parent compan|corporate group|关联",
    "buyers": r"merger|acqui|sale of|bankrupt|transfer of (?:all|assets)|reorgani[sz]|successor|corporate transaction"
    r"|business transfer|合并|收购",
    "advertisers": r"advertis|marketing partner|\bad (?:network|partner|platform)|retarget|广告",
    "analysts": r"analytic|measur",
    "other users": r"other users|public|communit|visible",
    "employers": r"employer|administrator|organi[sz]ation|workspace|school",
    "partners": r"\bpartner|reseller|distributor|合作",
    "third parties": r"third[- ]part|others|第三方",
    "sale": r"\bsell|\bsale\b|\bsold|出售",
    "aggregated": r"aggregat|de-?identif|anonym|匿名",
    "consent": r"consent|permission|direct us|your direction|authori[sz]|同意|授权",
    "children": r"child|minor|under (?:13|16|18)|parent|儿童|未成年",
    "payment": r"payment|financ|bank|credit|支付",
    "research": r"research|academi",
    "brokers": r"data (?:broker|partner)",
    "advisers": r"advis|auditor|insurer",
}
_NAMED: Final[dict[str, dict[str, str]]] = {
    "training_use": {
        "inputs": r"input|prompt|conversation|chat|quer|输入|对话",
        "outputs": r"output|response|输出",
        "content": r"content|file|upload|document|code|内容",
        "personal": r"personal|pii|个人信息",
        "feedback": r"feedback|rating|反馈",
        "voices and pictures": r"voice|audio|video|image|photo|record|语音|图片",
        "public": r"public",
        "aggregated": _WHO["aggregated"],
        "others": r"affiliat|third[- ]part|partner|provider|第三方|关联",
        "integrations": r"integrat|connect|api|google|extension",
        "children": _WHO["children"],
        "memory": r"\bmemor",
    },
    "third_party_sharing": _WHO,
    "ads_tracking": _WHO
    | {
        "cookies": r"cookie|pixel|beacon|\btag\b|tracking technolog|similar technolog",
        "messages": r"e-?mail|newsletter|promotion",
        "persons": r"personali[sz]|interest|tailor|relevant|target",
        "way out": r"opt|unsubscribe|object|disable|refus|withdraw|preferences",
        "other sites": r"cross-|other (?:web)?sites|across",
        "profiles": r"profil|infer",
        "sessions": r"replay|record",
        "leads": r"\blead|visitor|identif",
    },
    "data_retention": {
        "as needed": r"necessary|as long as|needed|require",
        "law": r"legal|law|dispute|enforce|obligation|fraud|safety|secur|abuse",
        "copies": r"backup|archiv|residual|cop(?:y|ies)",
        "deletion": r"delet|eras|remov|destroy|删除",
        "account": r"account|active|clos|terminat|注销",
        "without end": r"indefinit|perpetu|sole discretion|永久",
        "none": r"\bzero|not (?:store|retain|keep)|do(?:es)? not",
        "temporary": r"temporary|incognito|session|automatic",
        "aggregated": _WHO["aggregated"] + "|derived",
        "kinds": r"chat|conversation|input|prompt|\blog|voice|video|file|cookie|transaction",
    },
    "terms_changes": {
        "any time": r"any time|time to time|discretion|reserve|随时",
        "posting": r"post|publish|website|last updated|announce|channel|公布|公告",
        "use": r"continu|继续",
        "notice": r"notif|notice|inform|e-?mail|advance|prior|通知",
        "material": r"material|significant|substantial|重大",
        "leaving": r"disagree|terminate|stop using|object|cancel|not accept|停止",
        "consent": r"consent|agree|同意",
    },
    "ip_liability": {
        "indemnity": r"indemnif|defend|hold .{0,30}harmless|赔偿",
        "users": r"\byou(?:r)?\b|customer|用户",
        "infringement": r"infring|侵权",
        "warranty": r"warrant|as is|保证",
        "exceptions": r"except|not apply|exclu|limit",
        "remedy": r"\bsole|\bonly\b|entire",
        "outputs": r"output|generated|输出",
    },
    "content_license": {
        "for ever": r"perpetu|irrevocab|surviv|永久|不可撤销",
        "passed on": r"sublicen|transfer|assign|转让|分许可",
        "everywhere": r"world-?wide|全球",
        "changed": r"deriv|modif|adapt|edit|修改|衍生",
        "promotion": r"promot|market|advertis|publici|推广|宣传",
        "names": r"\bname|logo|likeness|\bmarks?\b",
        "feedback": r"feedback|suggest|idea|反馈",
        "ownership": r"\bown|retain|belong|title",
        "services": r"provid|operat|improv|maintain|优化",
        "models": r"train|model|machine|训练|模型",
        "other users": r"users|public|share|remix",
        "aggregated": _WHO["aggregated"],
    },
    "output_rights": {
        "ownership": r"\bown|retain|title|belong|claim",
        "assignment": r"assign",
        "commerce": r"commerc",
        "not unique": r"unique|similar|same",
        "third parties": r"third|infring|licen[cs]e",
        "limits": r"may not|not use|\bonly\b",
    },
    "cross_border_transfer": {
        "US": r"united states|\bu\.?s\b|america",
        "EU": r"\beea\b|europe|\beu\b|\buk\b|united kingdom|ireland",
        "China": r"china|singapore|中国|新加坡",
        "clauses": r"contractual clause|\bsccs?\b",
        "adequacy": r"adequa",
        "framework": r"framework|privacy shield",
        "storage": r"stor|locat|host|server|存储",
        "elsewhere": r"countries|outside|anywhere|worldwide|jurisdiction|境外",
        "stays": r"within|not transfer|remain",
    },
    "human_review": {
        "people": r"employee|personnel|staff|human|review|team|contractor|人工",
        "monitoring": r"monitor|moderat|scan|automat|审核",
        "removal": r"remov|delet|disabl|refus|suspend",
        "safety": r"abus|safety|violat|secur|fraud|illegal|comply",
        "support": r"support|assist|troublesh",
        "improvement": r"improv|train|quality|research",
        "permission": r"permission|consent|request",
    },
    "sensitive_data": {
        "children": r"child|minor|\b1[368]\b|parent|teen|儿童|未成年",
        "bodies": r"biometr|\bface|facial|voice|finger|iris|audio|人脸|声纹",
        "health": r"health|medical",
        "special": r"sensitive|special categor|racial|religio|orientation|politic|敏感",
        "not": r"not (?:knowingly|collect|intend)|do not|delete",
        "identity": r"identity|passport|government id",
        "consent": r"consent|permission|同意",
    },
    "web_data_training": {
        "public": r"public|公开",
        "bought": r"licen[cs]|bought|purchas|partner|third",
        "crawlers": r"crawl|robots|paywall|scrap",
        "persons": r"personal|individual|profil",
        "filters": r"filter|remov|reduc|exclud",
    },
}
_PATTERNS: Final = {
    surface: {name: re.compile(pattern) for name, pattern in named.items()} for surface, named in _NAMED.items()
}


def particulars(finding: ClauseFinding) -> frozenset[str]:
    """Give what a finding names.

    Parameters
    ----------
    finding : ClauseFinding

    Returns
    -------
    frozenset of str
        What of the particulars of its surface it names, the periods in days, whom it is for, and on training use what
        holds.
    """
    held = grade(finding) if finding.surface == "training_use" else None
    more = {finding.scope.audience or "", finding.scope.product or "", held.effect if held else ""} - {""}
    return _named(finding.surface, finding.quote) | more


@lru_cache(maxsize=20_000)
def _named(surface: str, quote: str) -> frozenset[str]:
    """Give what words name; kept, since versions repeat each other."""
    words = plain(quote).lower()
    named = {name for name, pattern in _PATTERNS[surface].items() if pattern.search(words)}
    return frozenset(named | {f"{days:g} days" for days in periods(words)})


def covered(finding: ClauseFinding, others: Iterable[ClauseFinding]) -> bool:
    """Say whether all that a finding names is named by others of its surface and effect.

    Parameters
    ----------
    finding : ClauseFinding
    others : iterable of ClauseFinding

    Returns
    -------
    bool
        False where none of the others is of its level: a level that is new is something new.
    """
    same = [other for other in others if (other.surface, other.polarity) == (finding.surface, finding.polarity)]
    if not any(other.risk == finding.risk for other in same):
        return False
    return particulars(finding) <= frozenset().union(*map(particulars, same))
