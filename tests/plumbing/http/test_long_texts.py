"""Is a text that is longer than any may be refused before anything reads it, wherever it stands?"""

from typing import Annotated, ClassVar

import orjson
import pytest
from pydantic import AfterValidator, Field, JsonValue
from starlette.requests import Request

from truename.capture.model import SentFrames
from truename.customers.model import CustomerFields, NewCustomer
from truename.face_search.model import NewFaceListing
from truename.plumbing.errors import Invalid
from truename.plumbing.http.bodies import LONGEST_TEXT, Sent, read_body
from truename.plumbing.http.turns import WHOLE_KEY

read: list[str] = []


def _noted(text: str) -> str:
    read.append(text)
    return text


class Inner(Sent):
    name: Annotated[str, AfterValidator(_noted)]


class Body(Sent):
    pictures: ClassVar[frozenset[str]] = frozenset({"image"})
    image: Annotated[str, AfterValidator(_noted)] = ""
    inner: Annotated[list[Inner], Field(default_factory=list)]


async def sent(value: JsonValue, model: type[Sent] = Body) -> Sent:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": orjson.dumps(value), "more_body": False}

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "query_string": b"", "headers": headers, WHOLE_KEY: True}
    return (await read_body(Request(scope, receive), model, 1024 * 1024))[0]


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        ({"inner": [{"name": "a"}, {"name": "b" * (LONGEST_TEXT + 1)}]}, ["/inner/1/name"]),
        ({"image": "a", "more": ["b" * (LONGEST_TEXT + 1)], "x": "c" * (LONGEST_TEXT + 1)}, ["/more/0", "/x"]),
        ("d" * (LONGEST_TEXT + 1), [""]),
    ],
)
async def test_a_text_longer_than_any_is_refused_before_anything_reads_it(value: JsonValue, pointers: list[str]):
    read.clear()
    with pytest.raises(Invalid) as refused:
        await sent(value)
    assert [(fault.pointer, fault.code) for fault in refused.value.errors] == [
        (pointer, "text_too_long") for pointer in pointers
    ]
    assert read == []


async def test_the_longest_text_and_a_longer_picture_are_read():
    found = await sent({"image": "a" * (LONGEST_TEXT + 1), "inner": [{"name": "b" * LONGEST_TEXT}]})
    assert isinstance(found, Body)
    assert (len(found.image), len(found.inner[0].name)) == (LONGEST_TEXT + 1, LONGEST_TEXT)


@pytest.mark.parametrize(
    ("model", "pictures"),
    [
        (NewCustomer, {"face_reference_image"}),
        (CustomerFields, {"face_reference_image"}),
        (NewFaceListing, {"face_image"}),
        (SentFrames, {"image"}),
    ],
)
def test_every_field_that_holds_a_picture_may_be_long(model: type[Sent], pictures: set[str]):
    def fields(schema: object) -> set[str]:
        if isinstance(schema, dict):
            own = {name for name, one in schema.get("properties", {}).items() if "contentEncoding" in str(one)}
            return own | {name for part in schema.values() for name in fields(part)}
        return {name for part in schema for name in fields(part)} if isinstance(schema, list) else set()

    schema = model.model_json_schema()
    assert fields({**schema, "properties": schema["properties"]}) == model.pictures == pictures
