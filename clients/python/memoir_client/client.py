"""The two clients: letta_client's, with more names on their resources and answers."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Dict, Optional

import letta_client
from letta_client import ENVIRONMENTS, NotGiven

from .agents import Agents, AsyncAgents
from .blocks import AsyncBlocks, Blocks
from .jobs import AsyncJobs, Jobs
from .roles import add_roles, stream_roles
from .runs import AsyncRuns, Runs
from .tools import AsyncTools, Tools


class Letta(letta_client.Letta):
    """`token=` is the same as `api_key=`. Without an address it asks the server on this machine, at port 8283."""

    def __init__(self, *, token: Optional[str] = None, **options: Any) -> None:
        super().__init__(**_complete(token, options))

    @cached_property
    def agents(self) -> Agents:
        return Agents(self)

    @cached_property
    def blocks(self) -> Blocks:
        return Blocks(self)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self)

    @cached_property
    def runs(self) -> Runs:
        return Runs(self)

    @cached_property
    def tools(self) -> Tools:
        return Tools(self)

    def request(self, *words: Any, **options: Any) -> Any:
        """Every answer passes here, further pages of a list too."""
        return add_roles(super().request(*words, **stream_roles(options)))


class AsyncLetta(letta_client.AsyncLetta):
    """`Letta` for `async` programs."""

    def __init__(self, *, token: Optional[str] = None, **options: Any) -> None:
        super().__init__(**_complete(token, options))

    @cached_property
    def agents(self) -> AsyncAgents:
        return AsyncAgents(self)

    @cached_property
    def blocks(self) -> AsyncBlocks:
        return AsyncBlocks(self)

    @cached_property
    def jobs(self) -> AsyncJobs:
        return AsyncJobs(self)

    @cached_property
    def runs(self) -> AsyncRuns:
        return AsyncRuns(self)

    @cached_property
    def tools(self) -> AsyncTools:
        return AsyncTools(self)

    async def request(self, *words: Any, **options: Any) -> Any:
        """Every answer passes here, further pages of a list too."""
        return add_roles(await super().request(*words, **stream_roles(options)))


def _complete(token: Optional[str], options: Dict[str, Any]) -> Dict[str, Any]:
    completed = dict(options)
    if completed.get("api_key") is None:
        completed["api_key"] = token
    places = (options.get("base_url"), options.get("environment"), os.environ.get("LETTA_BASE_URL"))
    if all(place is None or isinstance(place, NotGiven) for place in places):
        completed["base_url"] = ENVIRONMENTS["local"]
    return completed
