"""Three kinds of agents, and a tool of one's own for one of them."""

from memoir_client import Letta

client = Letta()
client.tools.upsert(
    source_code='''
def convert_to_celsius(fahrenheit: float) -> float:
    """Turns degrees of one scale into the other.

    Args:
        fahrenheit (float): The temperature.
    """
    return (fahrenheit - 32) / 1.8
'''
)

react = client.agents.create(model="memoir/demo", agent_type="react_agent", tools=["convert_to_celsius"])
workflow = client.agents.create(model="memoir/demo", agent_type="workflow_agent")
memgpt = client.agents.create(
    model="memoir/demo", agent_type="memgpt_v2_agent", memory_blocks=[{"label": "human", "value": ""}]
)
for agent in (react, workflow, memgpt):
    print(agent.agent_type, "convert_to_celsius" in [tool.name for tool in client.agents.get(agent_id=agent.id).tools])

tool = client.tools.list(name="convert_to_celsius").items[0]
client.agents.tool.attach(agent_id=workflow.id, tool_id=tool.id)
print([tool.name for tool in client.agents.get(agent_id=workflow.id).tools])
