"""Says something to an agent and prints what it answers, by role: calls and what tools returned are there as well."""

from memoir_client import Letta, MessageCreate

client = Letta()
agent = client.agents.create(model="memoir/demo", memory_blocks=[{"label": "human", "value": ""}])

response = client.agents.messages.create(
    agent_id=agent.id, messages=[MessageCreate(role="user", content="My name is Samira.")]
)
for message in response.messages:
    if message.role == "assistant":
        print("Answer:", message.content[0].text)
    else:
        print("Also:", message.message_type, message.role)

for message in client.agents.messages.list(agent_id=agent.id):
    if message.role == "user":
        print("Asked:", message.content[0].text)
