"""Jobs, which current clients no longer know: what older scripts ask until an upload is done."""

from __future__ import annotations

from typing import Any, Dict, Optional
from urllib.parse import quote

import letta_client
from letta_client import BaseModel


class Job(BaseModel):
    id: str
    status: str
    metadata: Optional[Dict[str, Any]] = None


class Jobs:
    def __init__(self, client: letta_client.Letta) -> None:
        self._client = client

    def retrieve(self, job_id: str) -> Job:
        return self._client.get(_address(job_id), cast_to=Job)


class AsyncJobs:
    def __init__(self, client: letta_client.AsyncLetta) -> None:
        self._client = client

    async def retrieve(self, job_id: str) -> Job:
        return await self._client.get(_address(job_id), cast_to=Job)


def _address(job_id: str) -> str:
    return f"/v1/jobs/{quote(job_id, safe='')}"
