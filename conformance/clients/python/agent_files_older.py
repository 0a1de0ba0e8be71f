"""The last Python client of the older generation, 0.1.x, and agent files."""

import io
import json

from flow import BASE_URL, MODEL, check, finish, refused
from letta_client import CreateBlock, Letta, MessageCreate
from letta_client.core.api_error import ApiError

client = Letta(base_url=BASE_URL)


def say(agent, text):
    answer = client.agents.messages.create(agent_id=agent, messages=[MessageCreate(role="user", content=text)])
    return answer.messages[-1].content


nora = client.agents.create(
    name="Nora",
    model=MODEL,
    embedding="openai/text-embedding-3-small",
    memory_blocks=[CreateBlock(label="human", value="Name: Ada.")],
    tool_exec_environment_variables={"KEY": "secret"},
).id
say(nora, "hello")
file = client.agents.export_file(agent_id=nora)
file = json.loads(file) if isinstance(file, str) else file
check("one agent", [agent["name"] for agent in file["agents"]], ["Nora"])
check("no secret", file["agents"][0]["tool_exec_environment_variables"], {"KEY": ""})


def upload(text):
    return ("agent.af", io.BytesIO(text.encode()), "application/json")


text = json.dumps(file)
copy = client.agents.import_file(file=upload(text), env_vars_json=json.dumps({"KEY": "v"})).agent_ids[0]
found = client.agents.retrieve(agent_id=copy)
check("copied", found.name, "Nora_copy")
check("secret filled", [item.value for item in found.tool_exec_environment_variables], ["********"])
check("remembers", "hello" in say(copy, "!heard"), True)
plain = client.agents.import_file(file=upload(text), append_copy_suffix=False, strip_messages=True).agent_ids[0]
check("plain", client.agents.retrieve(agent_id=plain).name, "Nora")
problem = refused("broken", ApiError, lambda: client.agents.import_file(file=upload("{")))
check("status", problem.status_code, 400)
finish()
