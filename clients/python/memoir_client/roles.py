"""`message.role` and `message.content[0].text`, as examples read them, on the messages that letta_client gives.

A message gets its role beside its fields, and a text that is a plain string stays one: `content` compares, prints and
slices as ever, only its first character knows the whole."""

from __future__ import annotations

from typing import Any, AsyncIterator, Dict, Iterator, List, Optional, TypeVar, get_args, get_origin

from letta_client import AsyncStream, BaseModel, Stream

T = TypeVar("T")

# Thoughts, calls and events have no content, and so no role: whoever prints what was said passes them over.
ROLES: Dict[str, str] = {
    "user_message": "user",
    "assistant_message": "assistant",
    "system_message": "system",
    "tool_return_message": "tool",
    "approval_request_message": "approval",
    "approval_response_message": "approval",
}


class FirstPart(str):
    """The first character of a text, which also answers as the one text part of a message."""

    type = "text"
    text: str


class Text(str):
    """A message's text that can also be read as a list of one part."""

    def __getitem__(self, place: Any) -> str:
        found = super().__getitem__(place)
        if place != 0:
            return found
        part = FirstPart(found)
        part.text = str(self)
        return part


def add_roles(answer: T) -> T:
    """Adds roles to every message of an answer: one message, a list, a page or a whole turn."""
    for message in _list_messages(answer):
        message.role = find_role(message)
        if type(getattr(message, "content", None)) is str:
            message.content = Text(message.content)
    return answer


def find_role(message: Any) -> Optional[str]:
    return ROLES.get(message.message_type)


def stream_roles(options: Dict[str, Any]) -> Dict[str, Any]:
    """The options of a request, with a stream that adds roles as it goes in place of the plain one."""
    plain = options.get("stream_cls")
    kinds: Dict[Any, Any] = {Stream: SpokenStream, AsyncStream: AsyncSpokenStream}
    spoken = kinds.get(get_origin(plain))
    return {**options, "stream_cls": spoken[get_args(plain)]} if spoken else options


class SpokenStream(Stream[T]):
    def __stream__(self) -> Iterator[T]:
        for event in super().__stream__():
            yield add_roles(event)


class AsyncSpokenStream(AsyncStream[T]):
    async def __stream__(self) -> AsyncIterator[T]:
        async for event in super().__stream__():
            yield add_roles(event)


def _list_messages(answer: Any) -> Iterator[Any]:
    if isinstance(answer, list):
        items = answer
    elif isinstance(answer, BaseModel):
        items = [answer, *_list_items(answer, "messages"), *_list_items(answer, "items")]
    else:
        return
    for item in items:
        if isinstance(item, BaseModel) and hasattr(item, "message_type"):
            yield item


def _list_items(answer: BaseModel, name: str) -> List[Any]:
    found = getattr(answer, name, None)
    return found if isinstance(found, list) else []
