"""The Python client of the current generation, 1.x, the overview of a context and its compaction."""

import letta_client
from flow import BASE_URL, IS_SMOKE, MODEL, UNKNOWN, check, finish, refused
from letta_client import Letta

client = Letta(base_url=BASE_URL, max_retries=0)
agent = client.agents.create(model=MODEL, memory_blocks=[{"label": "human", "value": "Name: Ada."}]).id
WHOLE = {"mode": "all"}


def talk(*words):
    for word in words:
        client.agents.messages.create(agent, messages=[{"role": "user", "content": word}])


def overview(**query):
    return client.get(f"/v1/agents/{agent}/context", cast_to=object, options={"params": query})


def shorten():
    talk("one", "two", "three")
    before = overview()
    check("messages", (before["num_messages"], before["summary_memory"]), (7, None))
    parts = sum(value for key, value in before.items() if key.startswith("num_tokens_"))
    check("sum", parts, before["context_window_size_current"])
    answer = client.agents.messages.compact(agent, compaction_settings=WHOLE)
    check("numbers", (answer.num_messages_before, answer.num_messages_after), (7, 2))
    check("summary", "one" in answer.summary, True)
    after = overview()
    check("shorter", (after["num_messages"], answer.summary[:20] in after["summary_memory"]), (2, True))
    last = client.agents.messages.list(agent, limit=1).items[0]
    check("listed", (last.message_type, last.otid, last.step_id, last.run_id), ("user_message", None, None, None))
    again = client.agents.messages.compact(agent)
    check("nothing more", (again.num_messages_before, again.num_messages_after), (2, 2))
    check("the same", again.summary, answer.summary)


def conversations():
    talk("four", "five")
    answer = client.conversations.messages.compact("default", agent_id=agent, compaction_settings=WHOLE)
    check("default", (answer.num_messages_before, answer.num_messages_after), (6, 2))
    other = client.conversations.create(agent_id=agent)
    check("own", overview(conversation_id=other.id)["num_messages"], 1)
    refused("empty", letta_client.BadRequestError, lambda: client.conversations.messages.compact(other.id))


def refusals():
    wrong = letta_client.UnprocessableEntityError
    refused("mode", wrong, lambda: client.agents.messages.compact(agent, compaction_settings={"mode": "half"}))
    refused("unknown", letta_client.NotFoundError, lambda: client.agents.messages.compact(f"agent-{UNKNOWN}"))
    refused("no agent", letta_client.BadRequestError, lambda: client.conversations.messages.compact("default"))


shorten()
if not IS_SMOKE:
    conversations()
    refusals()
finish()
