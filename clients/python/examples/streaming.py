"""Follows an answer as it is written, loses the stream on purpose, and takes it up where it stopped."""

from memoir_client import Letta

client = Letta()
agent = client.agents.create(model="memoir/demo", memory_blocks=[{"label": "human", "value": "Name: Ada"}])

stream = client.agents.messages.create_stream(
    agent_id=agent.id,
    messages=[{"role": "user", "content": "What is my name?"}],
    stream_tokens=True,
    background=True,
)

pieces = []
for chunk in stream:
    if chunk.role == "assistant":
        pieces.append(chunk.content[0].text)
        break
stream.close()

for later in client.runs.stream(chunk.run_id, starting_after=chunk.seq_id):
    if later.role == "assistant":
        pieces.append(later.content[0].text)

print("in several pieces:", len(pieces) > 1)
print("".join(pieces))
