"""Every older name leads to the request that the current one makes. Each is called on both clients."""

import asyncio
import inspect
import io
import json
import unittest

from answers import Answers, events, message

AGENT = {"id": "agent-1", "name": "a", "memory": {"blocks": [{"id": "block-1", "label": "human", "value": "x"}]}}
TOOL = {"id": "tool-1", "name": "read_file"}


def call(client, path, **arguments):
    """Calls a method by its path, for example agents.get, and waits for it if that is what it wants."""
    found = client
    for word in path.split("."):
        found = getattr(found, word)
    answer = found(**arguments)
    return answer if not inspect.isawaitable(answer) else asyncio.run(_wait(answer))


async def _wait(answer):
    found = await answer
    return [event async for event in found] if hasattr(found, "__aiter__") and hasattr(found, "response") else found


class Names(unittest.TestCase):
    def both(self, table, path, **arguments):
        """The answers of both clients, each with what was asked of the server."""
        for way in ("client", "async_client"):
            with self.subTest(way):
                server = Answers(table)
                given = {name: value() if callable(value) else value for name, value in arguments.items()}
                yield call(getattr(server, way)(), path, **given), server.asked

    def test_agents_get_brings_everything(self):
        for agent, [asked] in self.both({"GET /v1/agents/agent-1": AGENT}, "agents.get", agent_id="agent-1"):
            self.assertEqual(agent.memory.blocks[0].value, "x")
            self.assertEqual(asked.url.params.get_list("include")[:2], ["agent.blocks", "agent.tools"])

    def test_agents_get_takes_less(self):
        table = {"GET /v1/agents/agent-1": AGENT}
        for _, [asked] in self.both(table, "agents.get", agent_id="agent-1", include=["agent.tags"]):
            self.assertEqual(asked.url.params.get_list("include"), ["agent.tags"])

    def test_blocks_update(self):
        table = {"PATCH /v1/blocks/block-1": {"id": "block-1", "value": "y"}}
        changes = {"block_update": {"value": "y"}, "limit": 10}
        for block, [asked] in self.both(table, "blocks.update", block_id="block-1", **changes):
            self.assertEqual(block.value, "y")
            self.assertEqual(json.loads(asked.content), {"value": "y", "limit": 10})
        for _, [asked] in self.both(table, "blocks.update", block_id="block-1", value="y"):
            self.assertEqual(json.loads(asked.content), {"value": "y"})

    def test_create_stream(self):
        table = {
            "POST /v1/agents/agent-1/messages/stream": events(message("assistant_message", content="hi", seq_id=2))
        }
        said = {"messages": [{"role": "user", "content": "hello"}], "stream_tokens": True, "background": True}
        for stream, [asked] in self.both(table, "agents.messages.create_stream", agent_id="agent-1", **said):
            self.assertEqual([(event.role, event.seq_id) for event in stream], [("assistant", 2)])
            self.assertEqual(json.loads(asked.content), said)

    def test_runs_stream(self):
        table = {"POST /v1/runs/run-1/stream": events(message("assistant_message", content="hi"))}
        for stream, [asked] in self.both(table, "runs.stream", run_id="run-1", starting_after=3):
            self.assertEqual([event.content for event in stream], ["hi"])
            self.assertEqual(json.loads(asked.content), {"starting_after": 3})

    def test_agent_files(self):
        text = '{"agents": ["\u00e9"]}'
        for file, _ in self.both(
            {"GET /v1/agents/agent-1/export": text}, "agents.export_agent_serialized", agent_id="agent-1"
        ):
            self.assertEqual(file, text.encode())
        table = {"POST /v1/agents/import": {"agent_ids": ["agent-1", "agent-2"]}, "GET /v1/agents/agent-1": AGENT}
        file = lambda: io.BytesIO(text.encode())  # noqa: E731
        for agent, asked in self.both(table, "agents.import_agent_serialized", file=file, strip_messages=True):
            self.assertEqual((agent.id, agent.memory.blocks[0].label), ("agent-1", "human"))
            self.assertIn(text.encode(), asked[0].content)
            self.assertIn(b"strip_messages", asked[0].content)

    def test_jobs(self):
        job = {"id": "file-1/..", "status": "failed", "metadata": {"error": "unreadable"}}
        for found, _ in self.both({"GET /v1/jobs/file-1%2F..": job}, "jobs.retrieve", job_id="file-1/.."):
            self.assertEqual((found.status, found.metadata), ("failed", {"error": "unreadable"}))

    def test_mcp_tools(self):
        table = {
            "GET /v1/tools/mcp/servers/my%20files/tools": [{"name": "read_file", "inputSchema": {"type": "object"}}],
            "POST /v1/tools/mcp/servers/my%20files/read_file": TOOL,
        }
        for tools, _ in self.both(table, "tools.list_mcp_tools_by_server", mcp_server_name="my files"):
            self.assertEqual([(tool.name, tool.inputSchema) for tool in tools], [("read_file", {"type": "object"})])
        given = {"mcp_server_name": "my files", "mcp_tool_name": "read_file"}
        for tool, _ in self.both(table, "tools.add_mcp_tool", **given):
            self.assertEqual(tool.id, "tool-1")

    def test_agents_tool(self):
        table = {"PATCH /v1/agents/agent-1/tools/attach/tool-1": AGENT}
        for _, asked in self.both(table, "agents.tool.attach", agent_id="agent-1", tool_id="tool-1"):
            self.assertEqual(len(asked), 1)

    def test_current_names_still_work(self):
        for agent, [asked] in self.both({"GET /v1/agents/agent-1": AGENT}, "agents.retrieve", agent_id="agent-1"):
            self.assertEqual((agent.id, asked.url.query), ("agent-1", b""))
