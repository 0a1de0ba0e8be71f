"""An agent searches what was said before."""

from memoir_client import Letta

client = Letta()
agent = client.agents.create(model="memoir/demo", memory_blocks=[{"label": "human", "value": ""}])
client.agents.messages.create(agent_id=agent.id, messages=[{"role": "user", "content": "The boiler hums at night."}])

response = client.agents.messages.create(
    agent_id=agent.id, messages=[{"role": "user", "content": "What did I say about the boiler?"}]
)
print([message.name for message in response.messages if message.role == "tool"])
print(response.messages[-1].content[0].text)
