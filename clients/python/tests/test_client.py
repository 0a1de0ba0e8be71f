"""Where the clients go, who they are, and what the package holds."""

import importlib
import os
import unittest
from unittest.mock import patch

import letta_client

import memoir_client
from memoir_client import AsyncLetta, Letta

LOCAL = "http://localhost:8283"


@patch.dict(os.environ)
class Addresses(unittest.TestCase):
    def setUp(self):
        for name in ("LETTA_BASE_URL", "LETTA_API_KEY"):
            os.environ.pop(name, None)

    def test_this_machine_unless_told_otherwise(self):
        for client in (
            Letta(),
            AsyncLetta(),
            Letta(base_url=None),
            Letta(api_key=None),
            Letta().with_options(timeout=1),
        ):
            self.assertEqual(client.base_url, LOCAL)

    def test_what_is_told_wins(self):
        self.assertEqual(Letta(base_url="http://elsewhere:1").base_url, "http://elsewhere:1")
        self.assertEqual(Letta(environment="cloud").base_url, letta_client.Letta().base_url)
        os.environ["LETTA_BASE_URL"] = "http://named:2"
        self.assertEqual(Letta().base_url, "http://named:2")
        self.assertEqual(Letta(base_url="http://elsewhere:1").base_url, "http://elsewhere:1")

    def test_keys(self):
        self.assertIsNone(Letta().api_key)
        self.assertEqual(Letta(token="old").api_key, "old")
        self.assertEqual(Letta(token="old", api_key="new").api_key, "new")
        self.assertEqual(AsyncLetta(token="old").with_options(timeout=1).api_key, "old")
        os.environ["LETTA_API_KEY"] = "named"
        self.assertEqual(Letta().api_key, "named")


class Package(unittest.TestCase):
    def test_clients_are_the_official_ones(self):
        self.assertIsInstance(Letta(), letta_client.Letta)
        self.assertIsInstance(AsyncLetta(), letta_client.AsyncLetta)
        self.assertIs(type(Letta().copy()), Letta)
        self.assertIsInstance(Letta().agents, type(letta_client.Letta().agents))
        self.assertIs(memoir_client.Client, Letta)

    def test_everything_else_is_letta_clients_own(self):
        ours = {"Letta", "AsyncLetta", "Client", "AsyncClient", "types"}
        for name in set(letta_client.__all__) - ours:
            self.assertIs(getattr(memoir_client, name), getattr(letta_client, name), name)

    def test_types_are_found_where_they_are_and_where_they_were(self):
        for name in ("types", "types.agents", "types.agent_state", "types.runs"):
            theirs = importlib.import_module(f"letta_client.{name}")
            ours = importlib.import_module(f"memoir_client.{name}")
            for word in [word for word in dir(theirs) if not word.startswith("_")]:
                self.assertIs(getattr(ours, word), getattr(theirs, word), f"{name}.{word}")
        from memoir_client import AgentState, AssistantMessage, Tool

        self.assertIs(AgentState, letta_client.types.AgentState)
        self.assertIs(AssistantMessage, letta_client.types.agents.AssistantMessage)
        self.assertIs(Tool, letta_client.types.Tool)

    def test_names_nobody_has_stay_unknown(self):
        with self.assertRaises(ImportError):
            from memoir_client import NoSuchThing  # noqa: F401
        with self.assertRaises(AttributeError):
            Letta().agents.no_such_thing

    def test_older_requests(self):
        self.assertEqual(memoir_client.BlockUpdate(value="x"), {"value": "x"})
        self.assertEqual(memoir_client.types.CreateBlock(label="a", value="b"), {"label": "a", "value": "b"})
        self.assertEqual(memoir_client.MessageCreate(role="user", content="hi"), {"role": "user", "content": "hi"})
