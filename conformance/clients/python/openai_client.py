"""OpenAI's own client for Python: agents are its models. The last argument is the id of one."""

import asyncio
import sys

from openai import AsyncOpenAI, BadRequestError, NotFoundError, OpenAI

from flow import BASE_URL, UNKNOWN, check, finish, refused

AGENT_ID = sys.argv[-1]
client = OpenAI(base_url=f"{BASE_URL}/v1", api_key="any", max_retries=0)


def say(text):
    return {"model": AGENT_ID, "messages": [{"role": "user", "content": text}]}


def models():
    check("agents are listed", [model.id for model in client.models.list()], [AGENT_ID])
    model = client.models.retrieve(AGENT_ID)
    check("one of them", (model.id, model.object, model.owned_by), (AGENT_ID, "model", "memoir"))
    problem = refused("no agent", NotFoundError, lambda: client.models.retrieve(f"agent-{UNKNOWN}"))
    check("its words", UNKNOWN in problem.message, True)


def completions():
    answer = client.chat.completions.create(**say("!say Hello there."))
    check("an answer", answer.choices[0].message.content, "Hello there.")
    check("what it took", answer.usage.total_tokens, 110)
    stream = client.chat.completions.create(**say("!say In pieces."), stream=True)
    pieces = [chunk.choices[0].delta.content or "" for chunk in stream]
    check("in pieces", "".join(pieces), "In pieces.")
    check("several of them", len(pieces) > 2, True)
    refused("no agent's id", BadRequestError, lambda: client.chat.completions.create(**{**say("hi"), "model": "gpt-4o"}))


async def at_the_same_time():
    async with AsyncOpenAI(base_url=f"{BASE_URL}/v1", api_key="any", max_retries=0) as other:
        check("the other client", [model.id async for model in other.models.list()], [AGENT_ID])


models()
completions()
asyncio.run(at_the_same_time())
finish("openai")
