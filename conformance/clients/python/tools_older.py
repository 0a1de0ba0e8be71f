"""The last Python client of the older generation, 0.1.x, with tools and passages: attaching answers the whole agent."""

from flow import BASE_URL, UNKNOWN, check, finish, refused, run_source
from letta_client import Letta
from letta_client.core.api_error import ApiError

client = Letta(base_url=BASE_URL)
agent = client.agents.create(model="memoir/demo").id


def roll_dice(sides: int, label: str = "d") -> str:
    """
    Roll a dice.

    Args:
        sides (int): Number of sides.
        label (str): Label to print.
    """
    return f"{label}{sides}"


def tools():
    before = client.tools.count()
    made = client.tools.upsert_from_function(func=roll_dice, tags=["game"])
    check("made", (made.name, made.description, made.tags), ("roll_dice", "Roll a dice.", ["game"]))
    check("count", client.tools.count(), before + 1)
    check("own", client.tools.count(exclude_letta_tools=True), 1)
    check("by name", [tool.id for tool in client.tools.list(name="roll_dice")], [made.id])
    check("modify", client.tools.modify(tool_id=made.id, return_char_limit=10).return_char_limit, 10)
    check("retrieve", client.tools.retrieve(tool_id=made.id).return_char_limit, 10)
    check("base tools", len(client.tools.upsert_base_tools()), before)
    attached = client.agents.tools.attach(agent_id=agent, tool_id=made.id)
    check("whole agent", (attached.id, "roll_dice" in [tool.name for tool in attached.tools]), (agent, True))
    check("newest first", client.agents.tools.list(agent_id=agent)[0].name, "roll_dice")
    guarded = client.agents.tools.modify_approval(agent_id=agent, tool_name="roll_dice", requires_approval=True)
    check("rule", [rule.tool_name for rule in guarded.tool_rules], ["roll_dice"])
    detached = client.agents.tools.detach(agent_id=agent, tool_id=made.id)
    check("detached", "roll_dice" in [tool.name for tool in detached.tools], False)
    if ran := run_source(lambda: client.tools.run_tool_from_source(source_code=made.source_code, args={"sides": 6})):
        check("source", ran.tool_return, "d6")
    client.tools.delete(tool_id=made.id)
    gone = refused("deleted", ApiError, lambda: client.tools.retrieve(tool_id=made.id))
    check("not found", gone.status_code, 404)


def passages():
    made = client.agents.passages.create(agent_id=agent, text="The lantern hangs over the gate.", tags=["place"])
    check("filed", (len(made), made[0].text), (1, "The lantern hangs over the gate."))
    check("list", [passage.id for passage in client.agents.passages.list(agent_id=agent)], [made[0].id])
    found = client.agents.passages.search(agent_id=agent, query="lanterns", tags=["place"], top_k=1)
    check("search", (found.count, found.results[0].content), (1, "The lantern hangs over the gate."))
    archive = client.archives.list_archives(agent_id=agent)[0]
    check("archive", archive.id, made[0].archive_id)
    check("renamed", client.archives.modify_archive(archive_id=archive.id, name="mine").name, "mine")
    check("archives", len(client.archives.list_archives()), 1)
    client.agents.passages.delete(agent_id=agent, memory_id=made[0].id)
    check("removed", client.agents.passages.list(agent_id=agent), [])
    lost = lambda: client.agents.passages.delete(agent_id=agent, memory_id=f"passage-{UNKNOWN}")
    check("unknown", refused("unknown", ApiError, lost).status_code, 404)


tools()
passages()
finish()
