"""Reads an agent's blocks and writes one of them by hand."""

from memoir_client import Letta
from memoir_client.types import BlockUpdate

client = Letta()
made = client.agents.create(
    model="memoir/demo",
    memory_blocks=[{"label": "human", "value": "Drinks coffee."}, {"label": "persona", "value": "I am brief."}],
)

blocks = client.agents.get(agent_id=made.id).memory.blocks
human = next(block for block in blocks if block.label == "human")
client.blocks.update(block_id=human.id, block_update=BlockUpdate(value="Drinks tea.", description="Tastes."))

for block in sorted(client.agents.get(agent_id=made.id).memory.blocks, key=lambda block: block.label):
    print(f"{block.label}: {block.value} ({len(block.value)} of {block.limit})")
