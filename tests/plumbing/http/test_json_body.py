"""Is every body parsed strictly, and every unclear one refused?"""

import json
import math
import tracemalloc

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from truename.plumbing.errors import NotJson
from truename.plumbing.http.json_body import LONGEST_TYPE, Unacceptable, parse, refuse_other_types
from truename.plumbing.http.json_bounds import MAX_DEPTH, MAX_VALUES, depth_of

REFUSED = {
    "nothing": b"",
    "a space": b" ",
    "byte-order mark": b"\xef\xbb\xbf{}",
    "byte-order mark alone": b"\xef\xbb\xbf",
    "utf-16": '{"a":1}'.encode("utf-16"),
    "utf-16 without mark": '{"a":1}'.encode("utf-16-le"),
    "invalid utf-8": b'["\xff"]',
    "overlong utf-8": b'["\xc0\xaf"]',
    "surrogate in utf-8": b'["\xed\xa0\x80"]',
    "lone continuation byte": b'["\x81"]',
    "truncated utf-8": b'["\xe0\xff"]',
    "trailing comma in array": b"[1,]",
    "trailing comma in object": b'{"a":1,}',
    "double comma": b"[1,,2]",
    "leading comma": b"[,1]",
    "only a comma": b"[,]",
    "colon in array": b'["": 1]',
    "comma instead of colon": b'["x", truth]',
    "missing colon": b'{"a" b}',
    "double colon": b'{"x"::"b"}',
    "missing value": b'{"a":',
    "missing key": b"{:1}",
    "unquoted key": b"{a: 1}",
    "single quotes": b"{'a': 1}",
    "number as key": b"{1:1}",
    "key twice": b'{"a":1,"a":2}',
    "key twice with the same value": b'{"a":1,"a":1}',
    "key twice, once escaped": b'{"a":1,"\\u0061":2}',
    "key twice, both strings": b'{"a":"x","a":"y"}',
    "key twice, the first no string": b'{"a":1,"a":"y"}',
    "key twice, both strings, once escaped": b'{"a":"x","\\u0061":"y"}',
    "key twice, deep down": b'{"a":[{"b":{"c":1,"c":2}}]}',
    "NaN": b"[NaN]",
    "minus NaN": b"[-NaN]",
    "Infinity": b"[Infinity]",
    "minus Infinity": b"[-Infinity]",
    "inf": b"[Inf]",
    "1e400": b"[1e400]",
    "-1e400": b"[-1e400]",
    "huge exponent": b"[0.4e00" + b"9" * 80 + b"]",
    "4,301 digits": b"[" + b"9" * 4301 + b"]",
    "leading zero": b"[012]",
    "minus leading zero": b"[-012]",
    "plus": b"[+1]",
    "double plus": b"[++1234]",
    "point first": b"[.5]",
    "point last": b"[1.]",
    "minus point": b"[-.123]",
    "two points": b"[1.2.3]",
    "empty exponent": b"[1e]",
    "empty signed exponent": b"[1E+]",
    "exponent with point": b"[1e1.5]",
    "hex": b"[0x1]",
    "hex after a zero": b"[0x42]",
    "minus alone": b"[-]",
    "minus space": b"[- 1]",
    "letters after a number": b"[1a]",
    "full-width digit": "[１]".encode(),
    "underscores": b"[1_000]",
    "True": b"[True]",
    "nul": b"[nul]",
    "tru": b"[tru]",
    "fals": b"[fals]",
    "bare word": b"abc",
    "control character in a string": b'["a\x00b"]',
    "newline in a string": b'["a\nb"]',
    "tab in a string": b'["\t"]',
    "bad escape": b'["\\x00"]',
    "escaped emoji": '["\\🌀"]'.encode(),
    "short unicode escape": b'["\\u00A"]',
    "unicode escape that is none": b'["\\uqqqq"]',
    "backslash at the end": b'["\\"]',
    "unclosed string": b'["a',
    "unclosed array": b"[1",
    "unclosed object": b'{"a":1',
    "closed by the wrong one": b"[1}",
    "closed twice": b"[1]]",
    "two values": b"{} {}",
    "trailing words": b"{}x",
    "trailing NUL": b"{}\x00",
    "trailing comment": b'{"a":"b"}/**/',
    "line comment": b'{"a":"b"}//',
    "hash comment": b'{"a":"b"}#',
    "form feed": b"[\x0c]",
    "no-break space": "[\u00a0]".encode(),
    "word joiner": "[\u2060]".encode(),
    "angle brackets": b"<.>",
    "lone high surrogate": b'["\\ud800"]',
    "lone low surrogate": b'["\\uDC00"]',
    "surrogates in the wrong order": b'["\\uDd1e\\uD834"]',
    "high surrogate then text": b'["\\ud800abc"]',
    "two high surrogates": b'["\\uD800\\uD800"]',
    "lone surrogate as a key": b'{"\\ud800":1}',
    "100,000 opening brackets": b"[" * 100_000,
    "50,000 objects in arrays": b'[{"":' * 50_000,
    "101 levels": b"[" * 101 + b"]" * 101,
    "101 objects": b'{"a":' * 101 + b"1" + b"}" * 101,
    "brackets in a string before the depth": b'["]]]]",' + b"[" * 101 + b"]" * 101 + b"]",
}

ACCEPTED = {
    "object": (b"{}", {}),
    "array": (b"[]", []),
    "lonely string": (b'"asd"', "asd"),
    "lonely number": (b"42", 42),
    "lonely null": (b"null", None),
    "spaces around": (b" \t\r\n[1]\n\t ", [1]),
    "minus zero": (b"[-0]", [0]),
    "exponents": (b"[1E22, 1e-2, 1.5E+2, 0e1]", [1e22, 0.01, 150.0, 0.0]),
    "underflow": (b"[1e-400]", [0.0]),
    "close to zero": (
        b"[-0.000000000000000000000000000000000000000000000000000000000000000000000000000000001]",
        [-1e-81],
    ),
    "4,300 digits": (b"[" + b"9" * 4300 + b"]", [10**4300 - 1]),
    "escapes": (rb'["\"\\\/\b\f\n\r\t"]', ['"\\/\b\f\n\r\t']),
    "surrogate pair": (b'["\\ud83d\\ude00"]', ["😀"]),
    "surrogate pair in capitals": (b'["\\uD801\\uDC37"]', ["\U00010437"]),
    "escaped NUL": (b'["\\u0000"]', ["\0"]),
    "escaped backslash before ud800": (b'["\\\\ud800"]', ["\\ud800"]),
    "non-characters": ('["\uffff\U0010ffff"]'.encode(), ["\uffff\U0010ffff"]),
    "DEL": (b'["\x7f"]', ["\x7f"]),
    "line separators": ('["\u2028\u2029"]'.encode(), ["\u2028\u2029"]),
    "the same key in two objects": (b'[{"a":1},{"a":2}]', [{"a": 1}, {"a": 2}]),
    "composed and decomposed keys": ('{"é":1,"e\u0301":2}'.encode(), {"é": 1, "e\u0301": 2}),
    "empty key": (b'{"":0}', {"": 0}),
    "100 levels": (b"[" * 100 + b"]" * 100, None),
    "brackets in a string": (b'["' + b"[" * 500 + b'"]', ["[" * 500]),
    "200 flat objects": (b"[" + b",".join([b"{}"] * 200) + b"]", [{}] * 200),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_plain_json_is_refused(body: bytes) -> None:
    with pytest.raises(Unacceptable) as refused:
        parse(body)
    assert refused.value.code.startswith("json_")


def test_a_byte_order_mark_is_named_to_whoever_sent_it() -> None:
    """It is not seen in an editor: a place in a line would not tell."""
    with pytest.raises(Unacceptable, match="starts with a byte-order mark"):
        parse(b'\xef\xbb\xbf{"a": 1}')


def test_as_many_levels_as_are_allowed_are_accepted_and_one_more_is_refused_as_too_deep() -> None:
    levels, siblings = MAX_DEPTH - 1, b"[]," * MAX_DEPTH
    assert parse(b"[" * levels + siblings + b"[]" + b"]" * levels) is not None
    with pytest.raises(Unacceptable) as refused:
        parse(b"[" * levels + siblings + b"[[]]" + b"]" * levels)
    assert refused.value.code == "json_too_deep"


@pytest.mark.parametrize(("body", "value"), ACCEPTED.values(), ids=ACCEPTED.keys())
def test_what_is_plain_json_is_accepted(body: bytes, value: object) -> None:
    found = parse(body)
    assert found == value or body.startswith(b"[" * MAX_DEPTH)


def test_every_key_that_stands_twice_and_every_number_that_is_none_has_its_place() -> None:
    body = b'{"a": [{"b/c": 1, "b/c": NaN}, 1e400], "d": 1, "d": 2, "d": -Infinity, "\\ud800": 0, "\\ud800": 1}'
    with pytest.raises(Unacceptable) as refused:
        parse(body)
    assert [(fault.pointer, fault.code) for fault in refused.value.faults] == [
        ("/d", "json_duplicate_key"),
        ("/?", "json_duplicate_key"),
        ("/a/0/b~1c", "json_duplicate_key"),
        ("/a/0/b~1c", "json_malformed"),
        ("/a/1", "json_number_too_large"),
        ("/d", "json_malformed"),
        ("/?", "json_malformed"),
        ("/?", "json_malformed"),
    ]


@pytest.mark.parametrize(
    ("body", "place", "code"),
    [
        (b'{"a": ["\\ud83d\\ude00", "x\\ud800"]}', "/a/1", "json_malformed"),
        (b'{"a": {"x\\udc00": 1}}', "/a/x?", "json_malformed"),
        (b'{"a": -' + b"9" * 5000 + b"}", "/a", "json_number_too_large"),
    ],
)
def test_half_a_surrogate_pair_and_an_endless_integer_have_their_place(body: bytes, place: str, code: str) -> None:
    with pytest.raises(Unacceptable) as refused:
        parse(body)
    assert [(fault.pointer, fault.code) for fault in refused.value.faults] == [(place, code)]
    assert refused.value.code == code


def test_malformed_json_has_no_place_but_the_root() -> None:
    with pytest.raises(Unacceptable) as refused:
        parse(b'{"a": 1, "a": 2, oops}')
    assert [fault.pointer for fault in refused.value.faults] == [""]


def test_a_refusal_never_repeats_the_body() -> None:
    with pytest.raises(Unacceptable) as refused:
        parse(b'{"secret-name": secret-value}')
    assert "secret" not in refused.value.detail


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda part: st.lists(part, max_size=5) | st.dictionaries(st.text(max_size=5), part, max_size=5),
    max_leaves=20,
)


@given(VALUES)
def test_any_value_survives_the_journey(value: object) -> None:
    assert parse(json.dumps(value).encode()) == value


_NAME = st.text('ab"\\é', min_size=1, max_size=2)
_PART = st.text('x"\\{[:,é', max_size=3) | st.sampled_from([1, None, True, 2.5, [], {}, {"a": "b"}, ["a"]])


@given(st.lists(st.tuples(_NAME, _PART), max_size=4), st.booleans())
def test_a_small_object_is_refused_if_and_only_if_a_name_stands_in_it_twice(pairs, escaped) -> None:
    written = [f"{json.dumps(name, ensure_ascii=escaped)}: {json.dumps(part)}" for name, part in pairs]
    body = ("{" + ", ".join(written) + "}").encode()
    if len(dict(pairs)) == len(pairs):
        assert parse(body) == dict(pairs)
        return
    with pytest.raises(Unacceptable) as refused:
        parse(body)
    assert refused.value.code == "json_duplicate_key"


@given(
    st.binary(max_size=40) | st.text(alphabet='[]{}":,0123456789eE+-.\\u dDnatrueflsy\n', max_size=40).map(str.encode)
)
def test_nothing_is_accepted_that_another_strict_parser_refuses(body: bytes) -> None:
    try:
        value = parse(body)
    except Unacceptable:
        return
    theirs = orjson.loads(body)
    assert theirs == value or isinstance(theirs, float) or _has_float(value)


def _has_float(value: object) -> bool:
    if isinstance(value, (int, float)):
        return math.isfinite(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_has_float(part) for part in parts)


@pytest.mark.parametrize("marks", [b"[]", b"{}", b"[", b"{", b'""""'])
def test_millions_of_values_without_a_comma_are_too_many_values(marks: bytes) -> None:
    """Each of them was looked at, in half a minute for a body of twelve megabytes."""
    with pytest.raises(Unacceptable) as refused:
        parse(marks * (MAX_VALUES + 2))
    assert refused.value.code == "json_too_many_values"


def test_no_level_is_counted_beyond_those_that_are_allowed() -> None:
    assert depth_of(b"[" * 1000) == MAX_DEPTH + 1
    assert depth_of(b"[]" + b"[" * 1000) == 1


@pytest.mark.parametrize("inside", [b"a", rb"\\a", rb"\n"])
def test_a_long_string_among_brackets_takes_no_more_memory_than_it_is_long(inside: bytes) -> None:
    """It took a hundred times as much: 1.3 GB for a body of twelve megabytes."""
    size = 1_000_000
    body = b"[" * 90 + b'"' + inside * (size // len(inside)) + b'"' + b"[]" * 30
    tracemalloc.start()
    try:
        assert depth_of(body) == 91
        assert tracemalloc.get_traced_memory()[1] < 3 * size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("body", "levels"),
    [
        (rb'["\"[[", [["\\"]]]', 3),
        (rb'["\\\"[", "\\\\", [1]]', 2),
        (rb'{"[[[": {"{": "]]]"}}', 2),
        (rb'["[', 1),
        (b'["\\', 1),
        (rb"", 0),
    ],
)
def test_brackets_are_counted_outside_of_strings_only(body: bytes, levels: int) -> None:
    assert depth_of(body) == levels


def named(text: str) -> Request:
    return Request({"type": "http", "headers": [(b"content-type", text.encode())]})


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON ; charset = UTF-8 ;", "application/json \t"])
def test_a_body_may_call_itself_json_in_every_usual_way(kind: str) -> None:
    refuse_other_types(named(kind))


@pytest.mark.parametrize("after", ["", "x", ";", "; charset=utf-8"])
def test_no_more_is_read_of_what_a_body_calls_itself_than_anybody_needs_to_say(after: str) -> None:
    """Spaces were read again from each of them on: five seconds for a header of 32 kB, in which all others waited."""
    kind = "application/json" + " " * LONGEST_TYPE + after
    with pytest.raises(NotJson):
        refuse_other_types(named(kind))
