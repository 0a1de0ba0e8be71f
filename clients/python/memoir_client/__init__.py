"""letta_client, with the names that older examples call and a Memoir server on this machine as its default address.

Whatever is not said here is letta_client's own: classes, errors, streams, pages."""

from __future__ import annotations

from typing import Any

import letta_client
from letta_client import (  # noqa: F401
    DEFAULT_CONNECTION_LIMITS,
    DEFAULT_MAX_RETRIES,
    DEFAULT_TIMEOUT,
    ENVIRONMENTS,
    NOT_GIVEN,
    APIConnectionError,
    APIError,
    APIResponse,
    APIResponseValidationError,
    APIStatusError,
    APITimeoutError,
    AsyncAPIResponse,
    AsyncStream,
    AuthenticationError,
    BadRequestError,
    BaseModel,
    ConflictError,
    DefaultAioHttpClient,
    DefaultAsyncHttpxClient,
    DefaultHttpxClient,
    InternalServerError,
    LettaError,
    NoneType,
    NotFoundError,
    NotGiven,
    Omit,
    PermissionDeniedError,
    ProxiesTypes,
    RateLimitError,
    RequestOptions,
    Stream,
    Timeout,
    Transport,
    UnprocessableEntityError,
    __title__,
    __version__,
    file_from_path,
    not_given,
    omit,
)

from . import types
from .client import AsyncLetta, Letta
from .jobs import Job
from .types import BlockUpdate, CreateBlock, MessageCreate

Client = Letta
AsyncClient = AsyncLetta

__all__ = ["BlockUpdate", "CreateBlock", "Job", "MessageCreate"]
__all__ += letta_client.__all__


def __getattr__(name: str) -> Any:
    """Types stood at the top once: `from memoir_client import AgentState, AssistantMessage` finds them."""
    for place in (letta_client, types, types.agents):
        if not name.startswith("_") and hasattr(place, name):
            return getattr(place, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
