"""The Python client of the current generation, 1.x: tools, archives and what agents file in them. 1.12.0 can also make
tools from functions; 1.12.1 has lost that."""

import letta_client
from flow import BASE_URL, IS_SMOKE, UNKNOWN, check, finish, refused, run_source
from letta_client import Letta

client = Letta(base_url=BASE_URL, max_retries=0)
agent = client.agents.create(model="memoir/demo", memory_blocks=[{"label": "human", "value": "Name: unknown."}]).id

SOURCE = '''
def roll_dice(sides: int, label: str = "d") -> str:
    """
    Roll a dice.

    Args:
        sides (int): Number of sides.
        label (str): Label to print.
    """
    return f"{label}{sides}"
'''


def names(tools):
    return [tool.name for tool in tools]


def tools():
    made = client.tools.create(source_code=SOURCE, tags=["game"], return_char_limit=100)
    check("made", (made.name, made.tool_type, made.tags), ("roll_dice", "custom", ["game"]))
    check("schema", made.json_schema["parameters"]["required"], ["sides"])
    again = client.tools.upsert(source_code=SOURCE.replace("Roll a", "Roll one"))
    check("upserted", (again.id, again.description, again.tags), (made.id, "Roll one dice.", ["game"]))
    check("limit put back", again.return_char_limit, 50000)
    check("retrieved", client.tools.retrieve(made.id), again)
    check("updated", client.tools.update(made.id, description="mine").description, "mine")
    check("by name", names(client.tools.list(name="roll_dice")), ["roll_dice"])
    check("by type", names(client.tools.list(tool_types=["custom"])), ["roll_dice"])
    check("in pages", len(set(names(client.tools.list(limit=5)))), len(names(client.tools.list(limit=100))))
    found = client.tools.search(query="rolling dices", tool_types=["custom"])
    check("found", [(hit.tool.name, hit.fts_rank) for hit in found], [("roll_dice", 1)])
    base = client.tools.list(name="memory_insert").items[0]
    check("authors", (base.created_by_id is None, base.last_updated_by_id is None), (False, False))
    client.tools.delete(base.id)
    refused("deleted base tool", letta_client.NotFoundError, lambda: client.tools.retrieve(base.id))
    check("base tool is back", names(client.tools.list(name="memory_insert")), ["memory_insert"])
    other = {"name": "roll_two", "parameters": {"type": "object"}}
    differing = lambda: client.tools.update(made.id, source_code=SOURCE, json_schema=other)
    refused("another function", letta_client.BadRequestError, differing)
    refused("no docstring", letta_client.BadRequestError, lambda: client.tools.create(source_code="def f(a): pass"))
    taken = SOURCE.replace("roll_dice", "send_message")
    refused("a name of ours", letta_client.ConflictError, lambda: client.tools.create(source_code=taken))
    unknown = lambda: client.tools.retrieve(f"tool-{UNKNOWN}")
    refused("unknown", letta_client.NotFoundError, unknown)
    return made


def from_functions():
    if not hasattr(client.tools, "upsert_from_function"):
        return
    from typing import List, Optional

    from pydantic import BaseModel, Field

    def add_words(words: List[str], note: Optional[str] = None) -> int:
        """
        Count words.

        Args:
            words (List[str]): What to count.
            note (str): Anything.
        """
        return len(words)

    made = client.tools.upsert_from_function(func=add_words, tags=["t"])
    properties = made.json_schema["parameters"]["properties"]
    check("from a function", (made.name, properties["words"]["items"]), ("add_words", {"type": "string"}))
    check("required", made.json_schema["parameters"]["required"], ["words"])

    class Line(BaseModel):
        text: str = Field(description="What is on it.")

    class Arguments(BaseModel):
        lines: List[Line] = Field(description="All of them.")

    def print_lines(lines):
        return len(lines)

    made = client.tools.create_from_function(func=print_lines, args_schema=Arguments)
    line = made.json_schema["parameters"]["properties"]["lines"]["items"]
    check("with models", (made.name, line["properties"]["text"]["type"]), ("print_lines", "string"))


def attached(tool):
    check("attach", client.agents.tools.attach(tool.id, agent_id=agent), None)
    check("newest first", next(iter(client.agents.tools.list(agent))).name, "roll_dice")
    client.agents.tools.update_approval("roll_dice", agent_id=agent, body_requires_approval=True)
    rules = client.agents.retrieve(agent).tool_rules
    check("rule", [(rule.type, rule.tool_name) for rule in rules], [("requires_approval", "roll_dice")])
    client.agents.tools.update_approval("roll_dice", agent_id=agent, body_requires_approval=False)
    check("no rule", client.agents.retrieve(agent).tool_rules, [])
    arguments = {"label": "human", "old_string": "unknown", "new_string": "Ada"}
    result = client.agents.tools.run("memory_replace", agent_id=agent, args=arguments)
    check("run", result.status, "success")
    check("edited", client.agents.blocks.retrieve("human", agent_id=agent).value, "Name: Ada.")
    if ran := run_source(lambda: client.agents.tools.run("roll_dice", agent_id=agent, args={"sides": 6})):
        check("source", ran.func_return, "d6")
    check("detach", client.agents.tools.detach(tool.id, agent_id=agent), None)
    check("detached", "roll_dice" in names(client.agents.tools.list(agent)), False)
    client.tools.delete(tool.id)
    refused("deleted", letta_client.NotFoundError, lambda: client.tools.retrieve(tool.id))


def archives():
    facts = client.archives.create(name="facts", description="d")
    check("an archive without an embedding", facts.embedding_config, None)
    check("an agent without an embedding", client.agents.retrieve(agent).embedding_config, None)
    check("archive", (facts.name, facts.description), ("facts", "d"))
    check("renamed", client.archives.update(facts.id, name="truths").name, "truths")
    check("listed", [found.id for found in client.archives.list(name="truths")], [facts.id])
    one = client.archives.passages.create(facts.id, text="The lantern is red.", tags=["x"], metadata={"a": 1})
    check("passage", (one.archive_id, one.tags, one.metadata), (facts.id, ["x"], {"a": 1}))
    many = client.archives.passages.create_many(facts.id, passages=[{"text": "one"}, {"text": "two"}])
    check("many", [passage.text for passage in many], ["one", "two"])
    hits = client.passages.search(query="a red lantern", archive_id=facts.id)
    check("hits", [(hit.passage.id, hit.metadata["fts_rank"]) for hit in hits], [(one.id, 1)])
    client.archives.passages.delete(one.id, archive_id=facts.id)
    check("removed", client.passages.search(query="lantern"), [])
    client.agents.archives.attach(facts.id, agent_id=agent)
    client.agents.archives.attach(facts.id, agent_id=agent)
    check("shared", [passage.text for passage in client.agents.passages.list(agent)], ["one", "two"])
    other = client.archives.create(name="other").id
    second = lambda: client.agents.archives.attach(other, agent_id=agent)
    refused("one archive", letta_client.ConflictError, second)
    client.agents.archives.detach(facts.id, agent_id=agent)
    client.archives.delete(facts.id)
    refused("gone", letta_client.NotFoundError, lambda: client.archives.retrieve(facts.id))


def passages():
    made = client.agents.passages.create(agent, text="The harbour market opens at dawn.", tags=["place"])
    check("a list of one", len(made), 1)
    found = client.agents.passages.search(agent, query="markets of the harbour", tags=["place"], top_k=2)
    check("found", (found.count, found.results[0].content), (1, "The harbour market opens at dawn."))
    check("nothing", client.agents.passages.search(agent, query="giraffe").count, 0)
    check("part", len(client.agents.passages.list(agent, search="HARBOUR")), 1)
    client.agents.passages.delete(made[0].id, agent_id=agent)
    check("removed", client.agents.passages.list(agent), [])
    again = lambda: client.agents.passages.delete(made[0].id, agent_id=agent)
    refused("twice", letta_client.NotFoundError, again)


tool = tools()
from_functions()
if not IS_SMOKE:
    attached(tool)
    archives()
    passages()
finish()
