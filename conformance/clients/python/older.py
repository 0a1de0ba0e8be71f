"""The last Python client of the older generation, 0.1.x: other names, and an agent always comes with all it holds."""

from flow import BASE_URL, IS_SMOKE, MODEL, UNKNOWN, check, finish, refused
from letta_client import CreateBlock, IdentityProperty, Letta
from letta_client.core.api_error import ApiError

client = Letta(base_url=BASE_URL)


def labels(blocks):
    return sorted(block.label for block in blocks)


def agents():
    agent = client.agents.create(
        name="Ada's helper",
        model=MODEL,
        embedding="openai/text-embedding-3-small",
        memory_blocks=[CreateBlock(label="human", value="Name: Ada."), CreateBlock(label="persona", value="Terse.")],
        tags=["b", "a"],
        tool_exec_environment_variables={"TOKEN": "s3cret"},
        include_base_tools=True,
    )
    check("name", agent.name, "Ada's helper")
    check("blocks after create", labels(agent.memory.blocks), ["human", "persona"])
    check("model", agent.llm_config.model, "gpt-4o-mini")
    found = client.agents.retrieve(agent_id=agent.id)
    check("everything is loaded", labels(found.memory.blocks), ["human", "persona"])
    check("tags", sorted(found.tags), ["a", "b"])
    check("tools", sorted(tool.name for tool in found.tools), sorted(tool.name for tool in agent.tools))
    secrets = [(secret.key, secret.value) for secret in found.tool_exec_environment_variables]
    check("secrets", secrets, [("TOKEN", "********")])
    only_tools = client.agents.retrieve(agent_id=agent.id, include_relationships=["tools"])
    check("only what is named", (len(only_tools.tools), only_tools.memory.blocks), (len(agent.tools), []))
    modified = client.agents.modify(agent_id=agent.id, name="Renamed", tags=["c"])
    check("modify", (modified.name, modified.tags), ("Renamed", ["c"]))
    check("by name", [listed.id for listed in client.agents.list(name="Renamed")], [agent.id])
    check("by tag", [listed.id for listed in client.agents.list(tags=["c"], match_all_tags=True)], [agent.id])
    other = client.agents.create(model=MODEL, include_base_tools=False)
    check("oldest first", [listed.id for listed in client.agents.list(ascending=True)], [agent.id, other.id])
    check("newest first", [listed.id for listed in client.agents.list(limit=1)], [other.id])
    check("after", [listed.id for listed in client.agents.list(after=other.id)], [agent.id])
    check("count", client.agents.count(), 2)
    client.agents.delete(agent_id=other.id)
    return agent


def core_memory(agent):
    memory = client.agents.core_memory.retrieve(agent_id=agent.id)
    check("core memory", labels(memory.blocks), ["human", "persona"])
    check("list", labels(client.agents.blocks.list(agent_id=agent.id)), ["human", "persona"])
    human = client.agents.blocks.retrieve(agent_id=agent.id, block_label="human")
    check("by label", human.value, "Name: Ada.")
    edited = client.agents.blocks.modify(agent_id=agent.id, block_label="human", value="Name: Ada Lovelace.")
    check("edit", (edited.id, edited.value), (human.id, "Name: Ada Lovelace."))
    extra = client.blocks.create(label="project", value="Memo")
    attached = client.agents.blocks.attach(agent_id=agent.id, block_id=extra.id)
    check("attach", labels(attached.memory.blocks), ["human", "persona", "project"])
    detached = client.agents.blocks.detach(agent_id=agent.id, block_id=extra.id)
    check("detach", labels(detached.memory.blocks), ["human", "persona"])


def blocks():
    block = client.blocks.create(label="notes", value="Memo", limit=2000, description="d", metadata={"a": 1})
    check("block", (block.value, block.limit, block.metadata), ("Memo", 2000, {"a": 1}))
    modified = client.blocks.modify(block_id=block.id, value="Memo two")
    check("modify", (modified.value, modified.description), ("Memo two", "d"))
    check("retrieve", client.blocks.retrieve(block_id=block.id).value, "Memo two")
    check("by label", [listed.id for listed in client.blocks.list(label="notes")], [block.id])
    count = client.blocks.count()
    check("agents of a block", client.blocks.agents.list(block_id=block.id), [])
    check("delete", client.blocks.delete(block_id=block.id), None)
    check("count", client.blocks.count(), count - 1)
    check("tags", client.tags.list(), ["c"])


def identities(agent):
    plan = IdentityProperty(key="plan", value="free", type="string")
    made = client.identities.create(
        identifier_key="u-1", name="Ada", identity_type="user", properties=[plan], agent_ids=[agent.id]
    )
    check("identity", (made.name, made.identity_type, made.properties[0].value), ("Ada", "user", "free"))
    check("agents", [found.id for found in client.identities.agents.list(identity_id=made.id)], [agent.id])
    check("by identity", [found.id for found in client.agents.list(identifier_keys=["u-1"])], [agent.id])
    upserted = client.identities.upsert(identifier_key="u-1", name="Ada L", identity_type="user")
    check("upsert", (upserted.id, upserted.name, len(upserted.properties)), (made.id, "Ada L", 1))
    age = IdentityProperty(key="age", value=36, type="number")
    modified = client.identities.modify(identity_id=made.id, properties=[age])
    check("properties are added", sorted(each.key for each in modified.properties), ["age", "plan"])
    check("properties are replaced", client.identities.properties.upsert(identity_id=made.id, request=[age]), None)
    found = client.identities.retrieve(identity_id=made.id)
    check("property", [(each.key, each.value) for each in found.properties], [("age", 36)])
    check("list", [each.id for each in client.identities.list(identifier_key="u-1")], [made.id])
    check("count", client.identities.count(), 1)
    block = client.blocks.create(label="about", value="Ada")
    client.identities.modify(identity_id=made.id, block_ids=[block.id])
    check("blocks", [each.id for each in client.identities.blocks.list(identity_id=made.id)], [block.id])
    client.identities.delete(identity_id=made.id)
    check("deleted", client.identities.count(), 0)


def errors():
    missing = refused("unknown agent", ApiError, lambda: client.agents.retrieve(agent_id=f"agent-{UNKNOWN}"))
    check("404", missing.status_code, 404)
    check("404 text", missing.body["detail"], f"Agent with ID agent-{UNKNOWN} not found")
    check("400", refused("no model", ApiError, lambda: client.agents.create(name="x")).status_code, 400)
    check("422", refused("bad id", ApiError, lambda: client.blocks.retrieve(block_id="nope")).status_code, 422)


check("health", client.health.check().status, "ok")
helper = agents()
core_memory(helper)
if not IS_SMOKE:
    blocks()
    identities(helper)
    errors()
client.agents.delete(agent_id=helper.id)
gone = refused("gone", ApiError, lambda: client.agents.retrieve(agent_id=helper.id))
check("404 after delete", gone.status_code, 404)
finish()
