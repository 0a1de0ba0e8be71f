"""The same names in an `async` program."""

import asyncio

from memoir_client import AsyncLetta


async def main():
    async with AsyncLetta() as client:
        made = await client.agents.create(model="memoir/demo", memory_blocks=[{"label": "human", "value": "Name: Ada"}])
        agent = await client.agents.get(agent_id=made.id)
        print([block.value for block in agent.memory.blocks])
        stream = await client.agents.messages.create_stream(
            agent_id=agent.id, messages=[{"role": "user", "content": "What is my name?"}]
        )
        async for chunk in stream:
            if chunk.role == "assistant":
                print(chunk.content[0].text)


asyncio.run(main())
