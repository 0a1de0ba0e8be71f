"""Two agents share a block: what one writes, the other sees. The worker has a block of its own besides."""

from memoir_client import Letta

client = Letta()
shared = client.blocks.create(label="human", value="", description="Whom the team works for.")
lead = client.agents.create(model="memoir/demo", block_ids=[shared.id])
worker = client.agents.create(
    model="memoir/demo",
    block_ids=[shared.id],
    memory_blocks=[{"label": "open_tasks", "value": "1. Paint the fence", "description": "What is to be done."}],
)

client.agents.messages.create(agent_id=lead.id, messages=[{"role": "user", "content": "My name is Grace."}])

for block in sorted(client.agents.get(agent_id=worker.id).memory.blocks, key=lambda block: block.label):
    print(f"{block.label}: {block.value}")
