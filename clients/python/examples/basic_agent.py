"""Makes an agent with two blocks of memory. `memoir/demo` needs no key; name a real model for real answers."""

import os

from memoir_client import Letta

client = Letta(token=os.getenv("LETTA_API_KEY"))

agent = client.agents.create(
    name="gardener",
    model="memoir/demo",
    memory_blocks=[
        {"label": "persona", "value": "I know plants."},
        {"label": "human", "value": "Grows tomatoes on a balcony."},
    ],
    tools=["web_search"],
)

print(agent.name, "has", ", ".join(sorted(block.label for block in agent.memory.blocks)))
print("web_search" in [tool.name for tool in agent.tools])
