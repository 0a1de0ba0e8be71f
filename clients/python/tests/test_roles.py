"""`message.role` and `message.content[0].text`, on every way a message comes."""

import asyncio
import json
import pickle
import unittest

import letta_client
from answers import Answers, message

TURN = {
    "messages": [
        message("reasoning_message", reasoning="hm"),
        message("tool_call_message", tool_call={"name": "f", "arguments": "{}", "tool_call_id": "c"}),
        message("tool_return_message", tool_return="ok", status="success", tool_call_id="c"),
        message("assistant_message", content="Hello!"),
    ],
    "stop_reason": {"message_type": "stop_reason", "stop_reason": "end_turn"},
    "usage": {"message_type": "usage_statistics"},
}
SEND = {"POST /v1/agents/agent-1/messages": TURN}
SAID = [{"role": "user", "content": "hi"}]


def list_page(request):
    """Two messages a page."""
    after = request.url.params.get("after")
    first, second = (0, 2) if after is None else (2, 3) if after == "message-1" else (3, 3)
    return [message("user_message", content=f"text {place}", id=f"message-{place}") for place in range(first, second)]


class Roles(unittest.TestCase):
    def send(self):
        return Answers(SEND).client().agents.messages.create("agent-1", messages=SAID)

    def test_the_loop_of_the_examples(self):
        said = [item.content[0].text for item in self.send().messages if item.role == "assistant"]
        self.assertEqual(said, ["Hello!"])

    def test_each_message_has_one(self):
        self.assertEqual([item.role for item in self.send().messages], [None, None, "tool", "assistant"])

    def test_content_is_still_a_text(self):
        last = self.send().messages[-1]
        self.assertIsInstance(last, letta_client.types.agents.AssistantMessage)
        self.assertIsInstance(last.content, str)
        self.assertEqual((last.content, len(last.content), last.content.upper()), ("Hello!", 6, "HELLO!"))
        self.assertEqual((last.content[0], last.content[1], last.content[:2], last.content[-1]), ("H", "e", "He", "!"))
        self.assertEqual((last.content[0].type, last.content[0].text), ("text", "Hello!"))
        self.assertEqual(json.loads(last.to_json())["content"], "Hello!")
        self.assertEqual(pickle.loads(pickle.dumps(last)), last)

    def test_an_empty_text_has_no_parts(self):
        server = Answers({"GET /v1/messages/message-1": [message("assistant_message", content="")]})
        [found] = server.client().messages.retrieve("message-1")
        self.assertFalse(found.content)
        with self.assertRaises(IndexError):
            found.content[0]

    def test_parts_are_left_as_they_are(self):
        parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
        server = Answers({"GET /v1/messages/message-1": [message("user_message", content=parts)]})
        [found] = server.client().messages.retrieve("message-1")
        self.assertEqual((found.role, [part.text for part in found.content]), ("user", ["one", "two"]))

    def test_every_page_of_a_list(self):
        listed = Answers({"GET /v1/agents/agent-1/messages": list_page}).client().agents.messages.list("agent-1")
        found = [(item.role, item.content[0].text) for item in listed]
        self.assertEqual(found, [("user", "text 0"), ("user", "text 1"), ("user", "text 2")])

    def test_async_programs(self):
        async def ask():
            turn = await Answers(SEND).async_client().agents.messages.create("agent-1", messages=SAID)
            pages = Answers({"GET /v1/agents/agent-1/messages": list_page}).async_client().agents.messages
            return turn.messages[-1].content[0].text, [item.role async for item in pages.list("agent-1")]

        self.assertEqual(asyncio.run(ask()), ("Hello!", ["user"] * 3))

    def test_raw_answers_are_raw(self):
        raw = Answers(SEND).client().agents.messages.with_raw_response.create("agent-1", messages=SAID)
        self.assertEqual(raw.http_response.json(), TURN)
