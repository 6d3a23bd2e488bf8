"""How policies word training, material, ways out and who acts: the patterns by which `evidence` grades a sentence.

All but `VENDOR` and `SENTENCE` look at plain lower-case words.
"""

from __future__ import annotations

import re
from typing import Final

_MODELS: Final = (
    r"(?:models?|ai|a\.i\.|artificial[- ]intelligence|machine[- ]learning|llms?|algorithms?|neural networks?|ml)\b"
)
_TRAIN: Final = r"(?:\b(?:re-?|pre-?)?train(?:s|ed|ing)?\b|\bfine-?tun\w+|\bfurther tun\w+)"
_GAP: Final = r"(?:(?!\b(?:using|through|by means|with the help|powered|driven)\b)[^.;]){0,90}?"
_BETTER: Final = r"\b(?:improv|develop|enhanc|optimi[sz]|refin)\w*"
IMPROVES: Final = re.compile(
    rf"{_BETTER}{_GAP}\b(?:models?|(?:ai|artificial[- ]intelligence|machine[- ]learning|ml)"
    r"(?:(?:,| and| or|/|-| )+(?:ai|artificial[- ]intelligence|machine[- ]learning|ml))* (?:models?|technolog"
    r"|systems?\b))"
    rf"|\bmodel(?:'s)? (?:improvement|development|optimi[sz]ation)|{_BETTER} (?:our |its |the )?(?:ai"
    rf"|artificial intelligence)\b(?! \w)"
    r"|(?:优化|改进|提升|完善)[^。；，]{0,12}(?:模型|算法)|模型[^。；，]{0,8}(?:优化|改进)"
)
TRAINS: Final = re.compile(rf"{_TRAIN}|训练|微调")
TRAINS_MODELS: Final = re.compile(
    rf"{_TRAIN}{_GAP}\b{_MODELS}|\b{_MODELS}(?:[^.;]{{0,20}}) {_TRAIN}|\bon which [^.;]{{0,30}}{_TRAIN}|训练|微调"
)
LOOSELY: Final = re.compile(
    rf"{_BETTER}{_GAP}\b(?:algorithms?|ai\b|artificial|machine[- ]learning)"
    rf"|{_BETTER}[^.;]{{0,80}}\b(?:models?|algorithms?)\b"
)
_MATTER: Final = (
    r"(?:content|inputs?|outputs?|prompts?|quer(?:y|ies)|chats?|conversations?|messages?|dialogues?"
    r"|interactions?|files?|"
    r"documents?|code|uploads?|submissions?|materials?|information|data|property|stories|texts?|works?|creations?|"
    r"images?|photos?|pictures?|videos?|voices?|recordings?|audio|transcripts?|history|activity)\b"
)
GENERAL: Final = re.compile(
    r"\b(?:content|inputs?|outputs?|prompts?|conversations?|chats?|interactions?|information|data|property"
    r"|materials?|files?)\b"
    r"|内容|数据|输入|对话|信息"
)
SPECIAL: Final = re.compile(
    r"\b(?:voice|recording|audio|photo|image|picture|video|face|biometric|health|location|transcript)"
)
MATERIAL: Final = re.compile(
    rf"\b(?:your|users?(?:'s?)?|customers?(?:'s?)?|subscribers?(?:'s?)?|clients?(?:'s?)?"
    rf"|members?(?:'s?)?|business|workspace|organi[sz]ation'?s?) (?:[\w-]+ ){{0,3}}?{_MATTER}"
    r"|\bsubscriber ?data\b|\b(?:inputs?|outputs?|prompts|conversations|chats|chat history|dialogues)\b"
    r"|\bpersonal (?:data|information)\b|\b(?:uploaded|submitted) (?:[\w-]+ ){0,2}(?:content|files?|data)\b"
    rf"|\b{_MATTER}[^.;]{{0,30}} (?:from |by )?(?:you|users|customers)\b"
    rf"|\b(?:any of the|all of the|of the|the) (?:above|foregoing|following) (?:information|data)\b"
    r"|\b(?:use|uses|using|process|analy[sz]e|train on|trained on) (?:(?:any|the|all|such|these"
    r"|this) )?(?:of )?(?:the )?(?:content|materials)\b"
    r"|\bcontent (?:[\w-]+ ){0,6}(?:may|will|can|shall|is|are) (?:also |not |never )*(?:be )?used\b"
    r"|(?:你|您|用户)[^。；]{0,14}?(?:内容|数据|输入|对话|信息|指令|作品|图片|语音)|输入内容|对话内容|内容数据|个人信息"
)
ELSEWHERE: Final = re.compile(
    r"\b(?:(?:any|the|your|users?'?|our|customer'?s?|this|such|no) )*(?:[\w'-]+ ){0,1}(?:idp"
    r"|identity (?:and access )?(?:management )?provider'?s?|single sign-on|"
    r"sso|third[- ]party(?: service)?|connected[- ](?:app|account|service)s?|connectors?|integrations?|oauth"
    r"|e-?mail service|mailbox|calendar|apps?)"
    r" (?:data|information|content|services?)\b(?: (?:that )?you [\w ]{0,20}inputs?\b)?"
    r"|\b(?:(?:any|the|your|business|user|customer) )*(?:data|information|content)(?: that (?:we|is|are))? "
    r"(?:accessed|obtained|received|retrieved|imported)(?: [\w']+){0,2}? (?:from|through|via)\b[^,.;]*"
    r"|\b(?:data|information|content) (?:from|of) (?:(?!customers|users)[\w-]+ ){0,4}(?:apis?|connectors?|integrations?"
    r"|connected|third[- ]part|identity|oauth|apps?\b)[^,.;]*"
    r"|\b(?:data|information|content|texts?|images?) (?:[\w-]+ ){0,4}(?:on|from|across) the (?:open |public "
    r"|world wide )?(?:internet|web)\b"
    r"|\b(?:your )?(?:feedback|ratings?|suggestions?)\b(?: data)?|\btraining (?:data|materials?|content"
    r"|information|sets?)\b"
    r"|\b(?:publicly[- ]available|public|open[- ]web|licen[sc]ed|synthetic|purchased"
    r"|third[- ]party) (?:[\w-]+ ){0,2}(?:content|data|information|sources"
    r"|datasets?)\b(?: (?:that )?you [\w ]{0,20}inputs?\b)?"
)
"""Material that is not, or not alone, what users give the vendor."""
ABOUT_USE: Final = re.compile(
    r"\b(?:usage|telemetry|log|statistical|performance|aggregated? statistical) (?:data|information)\b"
    r"|\b(?:reduc|remov|filter|strip|minimi[sz]|exclud)\w* [^.;,]{0,40}?personal (?:information|data)\b"
)
"""Figures on the use, and personal data that are taken out: no material of users either."""
OWN_MODELS: Final = re.compile(
    rf"(?:{_TRAIN}(?:,? (?:and|or|to) [\w-]+| of| a| any| the){{0,4}} )?"
    r"(?:\b(?:your|customer'?s?|users?'?|client'?s?|subscriber'?s?) (?:[\w-]+ ){0,2}(?:models?|ai"
    r"|classifiers?|assistants?|agents?)\b"
    r"|\b(?:custom|customi[sz]ed|derivative|fine-tuned|private|dedicated"
    r"|personal(?:i[sz]ed)?) (?:[\w-]+ ){0,2}models?\b"
    r"|\bmodels? (?:that )?(?:you|customers?|users?) (?:create|train|build|own|fine-tune)\w*|\byour own\b"
    r"|\b(?:only|solely|exclusively) for (?:you|your)\b)"
)
BROUGHT: Final = re.compile(r"\btraining data (?:that |which )?(?:you|customers?|users?)\b")
"""What customers bring to train models of their own."""
STAFF: Final = re.compile(
    r"\b(?:staff|employees?|personnel|workforce|contractors|agents|team members?|moderators"
    r"|raters)\b(?: [\w,]+){0,8}? train"
    r"|\b(?:staff|employees?|personnel|contractors|reviewers) (?:may|can|will|might) (?:also )?(?:review|read|look|see|access)"
    r"|train\w* (?:of |for |our |the |all |new |its )*(?:staff|employees?|personnel|workforce|people|team"
    r"|moderators|agents|humans?)\b"
    r"|\b(?:security|privacy|awareness|compliance|onboarding|annual|regular|employee|staff|customer"
    r"|user) training\b"
    r"|\b(?:deliver|provide|offer|attend|receive)\w* (?:[\w-]+ ){0,2}training\b"
    r"|\btraining(?:,| and| or) (?:consult|support|implementation|education|onboarding)"
)
DEFINES: Final = re.compile(
    r"[\"'] ?\)?:? (?:means|refers to|has the meaning)\b|\bmeans (?:the|any|all|a|an|data|information|content)\b"
    r"|\bis defined as\b|\brefers to\b|是指|指的是"
    r"|\bindemni"
)
BANS: Final = re.compile(
    r"\b(?:you|users?|customers?|licensees?|subscribers?|members?|developers?"
    r"|anyone)(?: and [\w-]+)? (?:[\w,]+ ){0,4}?"
    r"(?:may not|must not|shall not|cannot|can not|can't|will not|agree not|are not (?:allowed|permitted)"
    r"|are prohibited|not to)\b"
    rf"(?![^.;]{{0,30}}\bopt)[^.;]{{0,200}}(?:{_TRAIN}|{_BETTER})|\bcompet(?:e|es|ing|itive|itor)\b|(?:您|你|用户)不得"
    r"|\b(?:you|customers?|users?) (?:may|can|are able to) (?:also )?(?:use [^.;]{0,60})?(?:train|fine-?tune"
    r"|to train|to fine-?tune|build|develop)\b"
    r"|\b(?:you|customers?|users?) (?:are|is) (?:solely )?responsible\b|\byou must\b"
    r"|\ballows? (?:you|customers?|users?) to\b|\byou may (?:apply|use) (?:the )?(?:inputs|outputs)\b"
    rf"|\b(?:use|using) (?:the|our|any) (?:services?|site|platform|software|api|outputs?)\b"
    rf"(?:(?!\bwe\b)[^.;]){{0,240}}\bto (?:[\w-]+, )?{_TRAIN}"
)
_REACHES: Final = (
    r"(?:(?!\b(?:but|however|although|though|while|whereas|instead|rather)\b|, (?:and )?(?:we|it|they|only"
    r"|solely)\b)[^.;。；])"
)
HANDS_ON: Final = re.compile(
    r"\b(?:not|never|n't) (?:(?:otherwise|also|knowingly|ever|and will not) )*(?:sell|licen[cs]e|share"
    r"|provide|disclose|transfer|allow|permit|"
    rf"authori[sz]e|let|give|make)\b{_REACHES}{{0,240}}?(?:{_TRAIN}|{_BETTER})[^.;,]*"
    r"|,? or (?:allow|permit|let|authori[sz]e) (?:any |our |a )?(?:third|other|vendor|provider|partner)[^.;,]*"
    r"|(?:不会|不得|不)(?:向|将|提供|允许)[^。；]{0,30}第三方[^。；]*训练"
)
"""A promise about what others may do with it."""
OTHERS: Final = re.compile(
    r"\b(?:third[- ]part(?:y|ies)|vendors?|providers?|partners?|sub-?processors?|suppliers?|they"
    r"|llms)(?: [\w'-]+){0,4} "
    r"(?:(?:may|will|shall|do|does|can|could|are|is|must|have|has|agree|commit|undertake"
    r"|contractually) )+(?:[\w-]+ ){0,4}?(?:use|train|permitted|allowed|prohibited|barred|bound|opt)"
    rf"|\bnot (?:control|responsible)\b|\btheir (?:own )?(?:[\w-]+ ){{0,3}}?(?:models?|{_TRAIN})"
    rf"|\bno (?:representation|control|warrant)"
    rf"|{_TRAIN} by (?:[\w-]+ ){{0,2}}?third"
    r"|\b(?:we|[a-z]+) ha(?:s|ve) opted out\b|第三方[^。；]{0,20}(?:训练|模型)"
)
FOR_ITSELF: Final = re.compile(
    rf"\bwe\b(?:(?!\btheir\b)[^.;]){{0,160}}{_TRAIN}(?! their\b)|{_TRAIN} (?:and \w+ )?our\b|^we,"
)
SHARES: Final = re.compile(r"\bwe (?:\w+ ){0,2}(?:share|provide|disclose|sell|licen[cs]e|transfer|give|pass)\b")
VENDOR: Final = re.compile(
    r"\b(?:[Ww]e|WE|[Uu]s|US|[Oo]ur|OUR|the [Cc]ompany|[Cc]ompany|[Pp]rovider|[Ll]icensor)\b|我们|本公司|公司|平台"
    r"|\b[A-Z][\w.-]+'s\b"
    r"|\b(?!(?:You|Your|Customers?|Users?|Third|Parties|Party|Vendors?|Providers?|Partners?|They|It|This"
    r"|These|That|There|Inputs?|"
    r"Outputs?|Prompts?|Chats?|Conversations?|Files?|Materials?|Messages?|Documents?|Data|Content|Information|CONTENT|YOU|CUSTOMERS?|USERS?|NOT|AND"
    r"|OR)\b)[a-z]?[A-Z][\w.-]+(?: [A-Z][\w.-]+)* "
    r"(?:(?:may|will|shall|does|can|must|WILL|MAY|SHALL|DOES)\b|(?:uses|processes|trains|analy[sz]es|collects|improves|develops)\b)|\b(?:grants?|authori[sz]es?|permits?"
    r"|allows?) (?:to )?[A-Z]|\bby [A-Z]"
)
PASSIVE: Final = re.compile(
    r"\b(?:is|are|be|been)(?: \w+){0,2}? (?:used|processed|analy[sz]ed|leveraged)\b|\b(?:for"
    r"|in) (?:[\w-]+ ){0,3}(?:training|fine-tuning)\b"
    r"|\b(?:is|are)(?: not| never|n't) (?:\w+ )?trained\b"
)
_NOT: Final = (
    r"(?:\b(?:not|never|cannot)\b(?! (?:limit|restrict|prevent|prohibit|preclude|need|require|be required"
    r"|have to|affect|guarantee|mean)\w*\b)|"
    r"n't\b|\bno (?=[^.;]{0,60}\b(?:is|are|will be|shall be) )|\bneither\b|\bprohibited from\b"
    r"|\brefrains? from\b|\bcease|"
    r"\bnothing (?:in|herein)\b[^.;]{0,40}?\b(?:allow|permit|let|grant|authori[sz]e|give)s?\b|不会|不得|不用于|不将"
    r"|不使用|不利用|不再|未经|也不|均不)"
)
NEVER: Final = re.compile(
    rf"{_NOT}{_REACHES}{{0,200}}?(?:{_TRAIN}|{_BETTER}|训练|微调|优化|模型)"
    rf"|{_TRAIN}[^.;]{{0,40}}(?:\bis|\bare) (?:off|disabled|not enabled) by default"
)
_CONSENT: Final = (
    r"(?:\bopt(?:ed|s|ing)?[- ]?in\b|\bconsent|\bpermission|\bagree|\bauthori[sz]|\ballow|\bpermit|\bapprov"
    r"|\bchoose to|\benabl|\bturn(?:ed)? on)"
)
UNLESS_ASKED: Final = re.compile(
    rf"\b(?:unless|without|absent|except (?:if|where|when|with))\b[^.;]{{0,120}}?{_CONSENT}|未(?:经"
    rf"|获)[^。；，]{{0,14}}(?:同意|授权)"
)
IF_ASKED: Final = re.compile(
    rf"\bonly (?:if|where|when|after|with)\b[^.;]{{0,90}}?{_CONSENT}|\bopt(?:ed|s|ing)?[- ](?:in|into)\b"
    r"|\b(?:if|where|when) you (?:have |choose to )?(?:explicitly |expressly |separately "
    r"|affirmatively )*(?:consent|agree|allow us|permit us|authori[sz]e us)\w*\b"
    r"|\b(?:ask|obtain|request|seek|get|need) (?:you )?(?:for )?your (?:[\w-]+ ){0,2}(?:consent|permission)\b"
    r"|\bwith your (?:[\w-]+,? ){0,2}(?:consent|permission)\b|(?:经|征得|获得|取得)[^。；，]{0,14}(?:同意|授权)"
)
NO_CONSENT: Final = re.compile(r"\bhereby\b|\blegitimate interest")
OUT: Final = re.compile(
    r"\bopt(?:s|ed|ing)?[- ]?outs?\b|\bright to object\b|\bobject to\b|\bturn(?:ed|ing)? (?:\w+ ){0,4}?off\b"
    r"|\bdisabl\w+|\bswitch(?:ed|ing)? (?:\w+ ){0,3}?off\b"
    r"|\bdo(?:es)? not (?:want|wish)\b|\bdon't want\b|\bprefer (?:that we|not)|\bto exclude your\b"
    r"|\b(?:ask|request|tell|instruct)(?: us)? (?:not to|to stop|that we (?:do )?not|to no longer)\b|关闭|退出|拒绝|不希望"
)
NO_WAY_OUT: Final = re.compile(
    r"\b(?:cannot|can not|can't|not able to|unable to|no (?:way|option|right|possibility) to|may not) (?:\w+ )?opt"
)
PARTIAL: Final = re.compile(
    r"\beven (?:if|where|when|after) you (?:have )?(?:opt|turn|disabl)|\b(?:choice|opt[- ]?out"
    r"|right)[^.;]{0,60}(?:does|do|will|shall) not (?:apply|affect|extend|cover)"
    r"|\bapplies (?:solely|only)\b"
)
CHOICE: Final = re.compile(
    r"\b(?:choos|select|elect|decid|control)\w*[^.;]{0,60}\bwhether\b|\b(?:preferences|choices"
    r"|settings) (?:regarding|about|on|for)\b|\bability to control\b"
    r"|\bwhen asked (?:if|whether)\b"
)
_PLANS: Final = r"(?:paid|paying|pro|premium|plus|business|enterprise|team|teams|commercial|higher)\b(?: [\w-]+){0,2}"
_WAY: Final = r"(?:opt[- ]?out|opt(?:ing)? out|turn (?:\w+ ){0,3}off|disable|way out)"
PAID_WAY: Final = re.compile(
    rf"\bonly [^.;]{{0,40}}\b{_PLANS}[^.;]{{0,80}}\b{_WAY}|\b{_WAY}[^.;]{{0,120}}\b(?:only|solely|exclusively"
    rf"|limited to|restricted to|reserved)\b[^.;]{{0,50}}\b{_PLANS}"
    rf"|\b{_WAY}[^.;]{{0,60}}\b{_PLANS}[^.;]{{0,20}}\bonly\b|\b(?:free|unpaid|basic"
    rf"|trial)\b[^.;]{{0,60}}(?:cannot|can not|can't|not able to|may not|no (?:way|option"
    rf"|right) to)[^.;]{{0,30}}\b{_WAY}"
)
SOME_PLANS: Final = re.compile(
    r"\b(?:depend(?:s|ing) on|based on|subject to) (?:your |the )?(?:account type|type of account|plan"
    r"|subscription|tier)"
    rf"|\b(?:if|when|where) you (?:[\w']+ ){{0,4}}?{_PLANS}[^.;]{{0,60}}\b(?:may|can) {_WAY}"
    r"|\bunless [^.;]{0,160}\b(?:governed by|subject to|under) [^.;]{0,40}\b(?:customer|enterprise|business|commercial|volume)"
    r" (?:[\w-]+ ){0,2}(?:agreement|terms)"
)
FREE_ONLY: Final = re.compile(r"\b(?:except|other than|unless|only)\b[^.;]{0,60}\b(?:free|unpaid)\b")
EXCEPT: Final = re.compile(
    r"\b(?:except|other than|unless|but may|but we may|without (?:first )?(?:telling|informing|notify|notice"
    r"|prior notice))"
    r"(?! as (?:needed|necessary|required))"
)
PAID: Final = re.compile(
    r"(?<!fully[ -])\b(?:paid|paying|enterprise)\b(?! up\b)|\bbusiness (?:plan|tier|customer|user|account"
    r"|offering|product)|\bteams? (?:plan|tier|account)"
)
FREE: Final = re.compile(
    r"(?<!-)\b(?:free|unpaid) (?:\w+ )?(?:plan|tier|users?|version|services?|accounts?|subscription)"
)
CONDITIONED: Final = re.compile(
    r"^(?:and |but |[\w ]{0,20}: )?(?:if|when|where|under|upon|once|following|for users|in (?:such|this"
    r"|that) case|after|with)\b[^.;]{0,200}?,"
    r"|\b(?:under|when|while|if) [^.;,]{0,40}\b(?:mode|enabled?|activated?|zero data retention|zdr)\b"
    r"|\bthis (?:feature|function(?:ality)?)\b"
    r"|\braw\b|\bidentifiable\b|本功能|该功能|此功能"
)
LINKED: Final = re.compile(
    rf"(?:^\W*(?:to|for|by)\b|\b(?:us(?:e[sd]?|ing)|process\w*|analy[sz]\w*|leverag\w*|collect\w*|retain\w*"
    rf"|rights?|licen[cs]e)\b)[^.]*?(?:{_TRAIN}|{_BETTER}|\bmodel (?:improv|develop|optimi))"
    rf"|{_TRAIN}(?: [^.;,]{{0,60}})? (?:on|with|using|from) (?:(?:any|all|some|of|the|such"
    rf"|this) ){{0,2}}(?:your|users?\b|customers?\b|personal|submitted|de-?identif|anonymi|"
    r"aggregated|inputs?\b|outputs?\b|prompts?\b|conversations?\b|chats?\b|content\b|data (?:from"
    r"|that) (?:you|users|customers)\b)|[\u4e00-\u9fff]"
)
"""Material is used for it, or it is done on material: both words in one sentence are not enough."""
AS_USED: Final = re.compile(
    r"^(?:if|when|where) (?:you|users?|customers?) (?:\w+ ){0,2}?(?:use|interact|submit|provide|upload|enter"
    r"|share|communicate|publish|post)\b"
)
NOT_BY_THEMSELVES: Final = re.compile(
    r"\bwhen doing so\b|\bin doing so\b|\bwithout (?:logging|signing) in\b|\b(?:not|aren't|isn't) (?:logged"
    r"|signed)[- ]?in\b|\blogged[- ]out\b|\bsigned[- ]out\b|"
    r"\bin (?:such|that|this) cases?\b|\bflagged\b|\bwhen you allow\b|\bif (?:training|this setting) is\b"
    r"|\bupon (?:verification|request)\b"
)
POINTS: Final = re.compile(
    r"\bhow (?:your|we|our|personal|users?'?)\b|\b(?:is|are) governed (?:\w+ )?by\b|\bappl(?:y|ies) only\b"
    r"|\b(?:learn|read|find out) more\b|\bfor (?:more |further )?(?:information|details)\b|^(?:how|what|why"
    r"|these are)\b"
    r"|\b(?:describes?|explains?) how\b|\bsee (?:our|the|this)\b"
)
IDIOM: Final = re.compile(
    r",? ?(?:including,? )?(?:but )?(?:not limited to|without limitation)|\bnot only\b"
    r"|(?<=\bwhether) or not\b|\bnon-"
    r"|\b(?:that|which) (?:is|are) not [\w-]+ ?(?:data|information|content)?"
    r"|\b(?:where|as|if|unless|to the (?:maximum |fullest )?extent) (?:otherwise |expressly )?(?:permitted"
    r"|allowed|authori[sz]ed|required|agreed)"
    r"(?: or \w+)?(?: (?:by|under|in|between) [^,.;]*|(?=,))"
    r"|\bexclud(?:es?|ing) (?:[\w-]+ ){0,3}training\b|\b(?:pre-?|self-|already |previously )trained\b"
    r"|\btrained (?=(?:\w+ ){0,2}(?:models?|algorithms?|ai|systems?)\b)"
    r"|(?<!as )(?<!for )\btraining (?:data\b|data ?sets?|materials?)"
    r"|\bfine-?tuning (?:apis?|data|jobs?|files?|services?|features?|tools?)\b"
    r"|训练后的|经过训练的|预训练|训练数据(?:训练)?"
)
"""Turns of phrase that hold a negation, a permission or the word and say nothing of it."""
UNPAID: Final = re.compile(r"\b(?:do(?:es)? not have|(?:are|is) not on|without) a paid\b")
FEEDBACK: Final = re.compile(
    r"\b(?:by|when|if|where) (?:you )?(?:provid|submit|giv|send|choos)\w* (?:[\w-]+ ){0,4}feedback\b"
    r"|\bfeedback,? (?:along|together|as well as)\b|\bassociated inputs?\b"
)
SENTENCE: Final = re.compile(r"(?<=[.!?])[\"')*]* +(?=[\"'(*]*[A-Z])|(?<=\?)\W*(?=[A-Z])|(?<=[。！？])")
OPTED_OUT: Final = re.compile(r"\bha(?:s|ve) opted out of\b")
"""The vendor left something out, with somebody else."""
CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
