"""Takes an agent, with all it knows, from one server to another: here to the same one again."""

from tempfile import TemporaryFile

from memoir_client import Letta

client = Letta()
agent = client.agents.create(
    name="traveller", model="memoir/demo", memory_blocks=[{"label": "human", "value": "Name: Ada"}]
)

with TemporaryFile() as file:
    file.write(client.agents.export_agent_serialized(agent_id=agent.id))
    file.seek(0)
    copy = client.agents.import_agent_serialized(file=file)

print(copy.id != agent.id, copy.name, [block.value for block in copy.memory.blocks])
