"""The Python client of the current generation, 1.x."""

import asyncio

import letta_client
from flow import BASE_URL, IS_SMOKE, MODEL, UNKNOWN, check, finish, refused
from letta_client import AsyncLetta, Letta

client = Letta(base_url=BASE_URL)


def labels(blocks):
    return sorted(block.label for block in blocks)


def agents():
    block = client.blocks.create(label="project", value="Memo", limit=2000)
    agent = client.agents.create(
        name="Ada's helper",
        model=MODEL,
        embedding="openai/text-embedding-3-small",
        memory_blocks=[{"label": "human", "value": "Name: Ada."}, {"label": "persona", "value": "I am terse."}],
        block_ids=[block.id],
        tags=["b", "a"],
        secrets={"TOKEN": "s3cret"},
        metadata={"nested": {"k": [1, None, "ü"]}},
        model_settings={"provider_type": "openai", "temperature": 0.2, "max_output_tokens": 1000},
        context_window_limit=32000,
        timezone="Europe/Paris",
    )
    check("name", agent.name, "Ada's helper")
    check("kind", agent.agent_type, "letta_v1_agent")
    check("blocks after create", labels(agent.memory.blocks), ["human", "persona", "project"])
    check("tags", sorted(agent.tags), ["a", "b"])
    check("secrets", [(secret.key, secret.value) for secret in agent.secrets], [("TOKEN", "s3cret")])
    check("metadata", agent.metadata, {"nested": {"k": [1, None, "ü"]}})
    # The client makes a class of them or leaves a dict, by the version of its own libraries.
    settings = agent.model_settings if isinstance(agent.model_settings, dict) else agent.model_settings.to_dict()
    check("settings", (settings["provider_type"], settings["temperature"]), ("openai", 0.2))
    check("window", agent.llm_config.context_window, 32000)
    check("embedding", agent.embedding_config.embedding_dim, 1536)
    check("timezone", agent.timezone, "Europe/Paris")
    check("tools", "memory_insert" in [tool.name for tool in agent.tools], True)

    bare = client.agents.retrieve(agent.id)
    check("bare agent", (bare.id, bare.blocks, bare.tools, bare.tags), (agent.id, [], [], []))
    full = client.agents.retrieve(agent.id, include=["agent.blocks", "agent.tools"])
    check("included blocks", labels(full.memory.blocks), ["human", "persona", "project"])
    check("included tools", len(full.tools), len(agent.tools))
    check("created_at is a moment", full.created_at, agent.created_at)
    check("created_at has a zone", str(full.created_at.tzinfo), "UTC")

    updated = client.agents.update(agent.id, name="Renamed", tags=["c"], description="keeps notes")
    check("update", (updated.name, updated.tags, updated.description), ("Renamed", ["c"], "keeps notes"))
    check("what was not sent stays", updated.metadata, agent.metadata)
    check("by name", [found.id for found in client.agents.list(name="Renamed")], [agent.id])
    check("by tag", [found.id for found in client.agents.list(tags=["c", "d"])], [agent.id])
    check("by both tags", list(client.agents.list(tags=["c", "d"], match_all_tags=True)), [])
    check("by words", [found.id for found in client.agents.list(query_text="NAME")], [agent.id])
    return agent, block


def agent_blocks(agent, block):
    check("list", labels(client.agents.blocks.list(agent.id)), ["human", "persona", "project"])
    human = client.agents.blocks.retrieve("human", agent_id=agent.id)
    check("by label", human.value, "Name: Ada.")
    edited = client.agents.blocks.update("human", agent_id=agent.id, value="Name: Ada Lovelace.")
    check("edit", (edited.id, edited.value, edited.limit), (human.id, "Name: Ada Lovelace.", 100000))
    check("edit is there", client.blocks.retrieve(human.id).value, "Name: Ada Lovelace.")
    detached = client.agents.blocks.detach(block.id, agent_id=agent.id)
    check("detach", labels(detached.memory.blocks), ["human", "persona"])
    problem = refused(
        "detach twice", letta_client.NotFoundError, lambda: client.agents.blocks.detach(block.id, agent_id=agent.id)
    )
    check("404", problem.status_code, 404)
    attached = client.agents.blocks.attach(block.id, agent_id=agent.id)
    check("attach", labels(attached.memory.blocks), ["human", "persona", "project"])
    check("agents of a block", [holder.id for holder in client.blocks.agents.list(block.id)], [agent.id])


def blocks():
    made = [client.blocks.create(label="many", value=f"value {number}", tags=["t", f"t{number % 2}"]) for number in range(60)]
    check("made", (made[0].value, made[0].limit, made[0].tags, made[0].metadata), ("value 0", 100000, ["t", "t0"], {}))
    values = [f"value {number}" for number in range(60)]
    check("pages", [block.value for block in client.blocks.list(label="many", limit=7)], values)
    newest = [block.value for block in client.blocks.list(label="many", order="desc", limit=50)]
    check("pages backwards", newest, values[::-1])
    check("by tag", len(list(client.blocks.list(tags=["t1"]))), 30)
    check("by words", [block.value for block in client.blocks.list(value_search="VALUE 59")], ["value 59"])
    changed = client.blocks.update(made[0].id, value="new", description="d", read_only=True)
    check("update", (changed.value, changed.description, changed.read_only), ("new", "d", True))
    client.blocks.delete(made[0].id)
    refused("deleted", letta_client.NotFoundError, lambda: client.blocks.retrieve(made[0].id))
    check("tags", client.tags.list(), ["c", "t", "t0", "t1"])
    check("tags by name", client.tags.list(name="T0"), ["t0"])


def identities(agent):
    body = {"identifier_key": "u-1", "name": "Ada", "identity_type": "user"}
    identity = client.post("/v1/identities/", body=body, cast_to=object)
    check("identity", (identity["name"], identity["properties"]), ("Ada", []))
    client.agents.identities.attach(identity["id"], agent_id=agent.id)
    known = client.agents.retrieve(agent.id, include=["agent.identities"])
    check("attached", [known.id for known in known.identities], [identity["id"]])
    check("by identity", [found.id for found in client.agents.list(identity_id=identity["id"])], [agent.id])
    client.agents.identities.detach(identity["id"], agent_id=agent.id)
    check("detached", list(client.agents.list(identity_id=identity["id"])), [])
    problem = refused(
        "taken key", letta_client.ConflictError, lambda: client.post("/v1/identities/", body=body, cast_to=object)
    )
    check("409", (problem.status_code, problem.response.headers["x-should-retry"]), (409, "false"))


def errors():
    missing = refused("unknown agent", letta_client.NotFoundError, lambda: client.agents.retrieve(f"agent-{UNKNOWN}"))
    check("404 text", missing.body, {"detail": f"Agent with ID agent-{UNKNOWN} not found"})
    no_model = refused("no model", letta_client.BadRequestError, lambda: client.agents.create(name="x"))
    text = "INVALID_ARGUMENT: Must specify either model or llm_config in request"
    check("400 text", no_model.body["detail"], text)
    refused("unknown model", letta_client.NotFoundError, lambda: client.agents.create(model="openai/no-such-model"))
    bad_id = refused("bad id", letta_client.UnprocessableEntityError, lambda: client.agents.retrieve("not-an-id"))
    check("422 example", bad_id.body["examples"], ["agent-123e4567-e89b-42d3-8456-426614174000"])
    refused(
        "over the limit",
        letta_client.UnprocessableEntityError,
        lambda: client.blocks.create(label="x", value="abcdef", limit=3),
    )


async def asynchronous():
    async with AsyncLetta(base_url=BASE_URL) as remote:
        made = [await remote.blocks.create(label="async", value=str(number)) for number in range(5)]
        found = [block.value async for block in remote.blocks.list(label="async", limit=2)]
        check("async pages", found, ["0", "1", "2", "3", "4"])
        await asyncio.gather(*(remote.blocks.delete(block.id) for block in made))
        check("async delete", [block async for block in remote.blocks.list(label="async")], [])


def delete(agent):
    deleted = client.agents.delete(agent.id)
    check("delete", deleted, {"message": f"Agent id={agent.id} successfully deleted"})
    refused("gone", letta_client.NotFoundError, lambda: client.agents.retrieve(agent.id))


check("health", (client.health().status, client.health().version), ("ok", "0.16.8"))
helper, shared = agents()
agent_blocks(helper, shared)
if not IS_SMOKE:
    blocks()
    identities(helper)
    errors()
    asyncio.run(asynchronous())
delete(helper)
finish()
