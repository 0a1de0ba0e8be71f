"""Older names on agents and their messages."""

from __future__ import annotations

from functools import cached_property
from typing import Any, List

from letta_client import AsyncStream, Stream
from letta_client.resources.agents import (
    AgentsResource,
    AsyncAgentsResource,
    AsyncMessagesResource,
    AsyncToolsResource,
    MessagesResource,
    ToolsResource,
)
from letta_client.types import AgentState
from letta_client.types.agents import LettaStreamingResponse

# Agents came with all that is attached to them before clients had to ask for it.
EVERYTHING: List[Any] = [
    f"agent.{name}" for name in ("blocks", "tools", "sources", "tags", "identities", "secrets", "managed_group")
]


class Messages(MessagesResource):
    def create_stream(self, agent_id: str, **options: Any) -> Stream[LettaStreamingResponse]:
        """Now `stream`."""
        return self.stream(agent_id, **options)


class AsyncMessages(AsyncMessagesResource):
    async def create_stream(self, agent_id: str, **options: Any) -> AsyncStream[LettaStreamingResponse]:
        """Now `stream`."""
        return await self.stream(agent_id, **options)


class Agents(AgentsResource):
    @cached_property
    def messages(self) -> Messages:
        return Messages(self._client)

    @property
    def tool(self) -> ToolsResource:
        """A slip of the pen for `tools`."""
        return self.tools

    def get(self, agent_id: str, **options: Any) -> AgentState:
        """Now `retrieve`. The agent comes with its blocks, tools and whatever else is attached to it."""
        return self.retrieve(agent_id, **{"include": EVERYTHING, **options})

    def export_agent_serialized(self, agent_id: str, **options: Any) -> bytes:
        """Now `export_file`. The agent file is bytes, to be written as it is."""
        return self.export_file(agent_id, **options).encode()

    def import_agent_serialized(self, *, file: Any, **options: Any) -> AgentState:
        """Now `import_file`. The answer is the first agent of the file, not only its id."""
        return self.get(self.import_file(file=file, **options).agent_ids[0])


class AsyncAgents(AsyncAgentsResource):
    @cached_property
    def messages(self) -> AsyncMessages:
        return AsyncMessages(self._client)

    @property
    def tool(self) -> AsyncToolsResource:
        """A slip of the pen for `tools`."""
        return self.tools

    async def get(self, agent_id: str, **options: Any) -> AgentState:
        """Now `retrieve`. The agent comes with its blocks, tools and whatever else is attached to it."""
        return await self.retrieve(agent_id, **{"include": EVERYTHING, **options})

    async def export_agent_serialized(self, agent_id: str, **options: Any) -> bytes:
        """Now `export_file`. The agent file is bytes, to be written as it is."""
        return (await self.export_file(agent_id, **options)).encode()

    async def import_agent_serialized(self, *, file: Any, **options: Any) -> AgentState:
        """Now `import_file`. The answer is the first agent of the file, not only its id."""
        return await self.get((await self.import_file(file=file, **options)).agent_ids[0])
