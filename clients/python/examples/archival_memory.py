"""An agent puts something into its archive, and finds it there again."""

from memoir_client import Letta

client = Letta()
agent = client.agents.create(model="memoir/demo", memory_blocks=[{"label": "human", "value": ""}])


def say(text):
    response = client.agents.messages.create(agent_id=agent.id, messages=[{"role": "user", "content": text}])
    for message in response.messages:
        if message.role == "tool":
            print("called", message.name)
        if message.role == "assistant":
            print(message.content[0].text)


say("Archive: the spare key hangs behind the clock.")
say("Look up the spare key")
