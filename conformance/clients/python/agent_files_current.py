"""The Python client of the current generation, 1.x, and agent files."""

import io
import json

import letta_client
from flow import BASE_URL, MODEL, UNKNOWN, check, finish, refused
from letta_client import Letta

client = Letta(base_url=BASE_URL, max_retries=0)


def say(agent, text):
    answer = client.agents.messages.create(agent, messages=[{"role": "user", "content": text}])
    return answer.messages[-1].content


def export(agent, **given):
    """Said to be a text; what comes is the file, read."""
    file = client.agents.export_file(agent, **given)
    return json.loads(file) if isinstance(file, str) else file


def upload(file):
    return ("agent.af", io.BytesIO(json.dumps(file).encode()), "application/json")


nora = client.agents.create(
    name="Nora",
    model=MODEL,
    memory_blocks=[{"label": "human", "value": "Name: Ada."}],
    secrets={"KEY": "secret"},
).id
say(nora, "hello")
file = export(nora)
check("one agent", [agent["name"] for agent in file["agents"]], ["Nora"])
check("no secret", file["agents"][0]["secrets"], {"KEY": ""})
check("blocks", [block["value"] for block in file["blocks"]], ["Name: Ada."])
check("messages", [item["role"] for item in file["agents"][0]["messages"]], ["system", "user", "assistant"])

copy = client.agents.import_file(file=upload(file)).agent_ids
check("one id", len(copy), 1)
check("copied", client.agents.retrieve(copy[0]).name, "Nora_copy")
check("remembers", "hello" in say(copy[0], "!heard"), True)

named = client.agents.import_file(
    file=upload(file), name="Olga", model="openai/gpt-4.1", secrets=json.dumps({"KEY": "v"}), strip_messages=True
).agent_ids[0]
olga = client.agents.retrieve(named, include=["agent.secrets"])
check("named", (olga.name, olga.model), ("Olga", "openai/gpt-4.1"))
check("stripped", len(olga.message_ids), 1)
check("secret filled", [item.value for item in olga.secrets], ["********"])
check("scrubbed", export(named, scrub_messages=True)["agents"][0]["messages"], [])

refused("broken", letta_client.BadRequestError, lambda: client.agents.import_file(file=b"{"))
refused("unknown", letta_client.NotFoundError, lambda: client.agents.export_file(f"agent-{UNKNOWN}"))
finish()
