"""What is wrong with a line of LETOR text, in words.

The compiled parser only says which line is bad; this one reads that line again, slowly, left to right, and
names the first fault in it.

>>> fault_of(b"2 qid:7 1:0.5 3:abc")
"feature value 'abc' of feature 3 is not a number."
>>> fault_of(b"2 qid:7 3:0.5 1:0.25")
'feature index 1 comes after 3: the indices of a row must increase.'
"""

from __future__ import annotations

import re

from rankproof.shown import visible

__all__ = ["fault_of", "spell"]

_GREATEST_INDEX = 2**31 - 2
_LONGEST_ID = 4096
_FORM = "A row reads: LABEL qid:QUERY INDEX:VALUE INDEX:VALUE ... # COMMENT."
_NUMBER = re.compile(rb"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE)
_WORD = re.compile(rb"[^ \t]+")
_DOC_ID = re.compile(rb"[ \t]*docid[ \t]*[=:][ \t]*([^ \t\r]*)", re.IGNORECASE)
_LONGEST_SHOWN = 60


def spell(text: bytes) -> str:
    """``text`` between quotes, fit for a message: shortened, every odd byte escaped.

    >>> print(spell(b"caf\\xe9"))
    'caf\\xe9'
    """
    shown = text[:_LONGEST_SHOWN].decode("utf-8", "backslashreplace")
    return f"'{visible(shown)}'" + (f" ... ({len(text)} bytes)" if len(text) > _LONGEST_SHOWN else "")


def fault_of(line: bytes, features: int | None = None) -> str:
    """The first fault of a line that the parser refused; ``features`` is the number the user allowed."""
    line = line.removesuffix(b"\r")
    fault = _fault_of_words(line.partition(b"#")[0], features) or _fault_of_comment(line.partition(b"#")[2])
    if b"\0" in line:
        fault += " The line holds NUL bytes: the file is damaged, binary, or UTF-16 (save it as UTF-8)."
    return fault


def _fault_of_words(body: bytes, features: int | None) -> str:
    last = 0
    for position, match in enumerate(_WORD.finditer(body)):
        word = match.group()
        if b"\r" in word:
            return f"there is a carriage return inside the line: {spell(word)}. Lines end with \\n or \\r\\n."
        if position == 0:
            fault = _fault_of_label(word)
        elif word.startswith(b"qid:"):
            fault = _fault_of_query(word[4:], position)
        else:
            fault, last = _fault_of_feature(word, last, features)
        if fault:
            return fault
    return ""


def _fault_of_label(word: bytes) -> str:
    if not _NUMBER.fullmatch(word):
        return f"label {spell(word)} is not a number. {_FORM}"
    if abs(float(word)) == float("inf"):
        return f"label {spell(word)} is not finite. A label is a finite number, or nan for an unjudged item."
    return ""


def _fault_of_query(query: bytes, position: int) -> str:
    if position > 1:
        return f"{spell(b'qid:' + query)} must come right after the label. {_FORM}"
    if not query:
        return f"the query id after 'qid:' is empty. {_FORM}"
    return _fault_of_id("query", query)


def _fault_of_id(kind: str, text: bytes) -> str:
    if b"\0" in text:
        return f"{kind} id {spell(text)} holds a NUL byte."
    if len(text) > _LONGEST_ID:
        return f"{kind} id {spell(text)} is longer than {_LONGEST_ID} bytes."
    return ""


def _fault_of_feature(word: bytes, last: int, features: int | None) -> tuple[str, int]:
    """The fault of a feature after feature ``last``, and its index."""
    name, colon, value = word.partition(b":")
    if not colon:
        return f"{spell(word)} is not of the form INDEX:VALUE. {_FORM}", last
    if not re.fullmatch(rb"[0-9]+", name):
        return f"feature index {spell(name)} in {spell(word)} is not a whole number. {_FORM}", last
    # Python refuses to read whole numbers of thousands of digits.
    index = int(name.lstrip(b"0")[:20] or b"0")
    if index > _GREATEST_INDEX:
        return f"feature index {spell(name)} is too large: the largest is {_GREATEST_INDEX}.", last
    if index == 0:
        return (
            "feature index 0: indices start at 1. Add 1 to every index "
            "(scikit-learn's dump_svmlight_file does with zero_based=False)."
        ), last
    if index == last:
        return f"feature index {index} is given twice.", last
    if index < last:
        return f"feature index {index} comes after {last}: the indices of a row must increase.", last
    if features is not None and index > features:
        return f"feature index {index} is greater than features={features}. Allow more, or drop it.", last
    if not _NUMBER.fullmatch(value) and value.upper() != b"NULL":
        return f"feature value {spell(value)} of feature {index} is not a number.", last
    return "", index


def _fault_of_comment(comment: bytes) -> str:
    match = _DOC_ID.match(comment)
    return _fault_of_id("document", match.group(1) if match else comment.strip()) or "the line is malformed."
