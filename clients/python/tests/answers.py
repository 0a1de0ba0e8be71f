"""A server for tests of the layer that is none: it answers from a table and keeps what it was asked."""

from __future__ import annotations

import httpx

from memoir_client import AsyncLetta, Letta

MOMENT = "2026-01-02T03:04:05+00:00"


def message(kind, **fields):
    return {"id": "message-1", "date": MOMENT, "message_type": kind, **fields}


def events(*items):
    """The body of a stream."""
    return "".join(f"data: {httpx.Response(200, json=item).text}\n\n" for item in items) + "data: [DONE]\n\n"


class Answers:
    """`table` holds a JSON value, a text or a list of JSON values for each "METHOD path"."""

    def __init__(self, table):
        self.table = table
        self.asked = []

    def answer(self, request):
        self.asked.append(request)
        found = self.table[f"{request.method} {request.url.raw_path.decode().split('?')[0]}"]
        if callable(found):
            found = found(request)
        if isinstance(found, str):
            kind = "text/event-stream" if found.startswith("data: ") else "application/json"
            return httpx.Response(200, text=found, headers={"content-type": kind})
        return httpx.Response(200, json=found)

    def client(self):
        return Letta(base_url="http://memoir", http_client=httpx.Client(transport=httpx.MockTransport(self.answer)))

    def async_client(self):
        transport = httpx.MockTransport(self.answer)
        return AsyncLetta(base_url="http://memoir", http_client=httpx.AsyncClient(transport=transport))
