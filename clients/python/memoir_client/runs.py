"""Runs that are followed by `runs.stream`."""

from __future__ import annotations

from typing import Any

from letta_client import AsyncStream, Stream
from letta_client.resources.runs import AsyncRunsResource, RunsResource
from letta_client.types.agents import LettaStreamingResponse


class Runs(RunsResource):
    def stream(self, run_id: str, **options: Any) -> Stream[LettaStreamingResponse]:
        """Now `runs.messages.stream`. Takes up the stream of a background run again, after event `starting_after`."""
        return self.messages.stream(run_id, **options)


class AsyncRuns(AsyncRunsResource):
    async def stream(self, run_id: str, **options: Any) -> AsyncStream[LettaStreamingResponse]:
        """Now `runs.messages.stream`. Takes up the stream of a background run again, after event `starting_after`."""
        return await self.messages.stream(run_id, **options)
