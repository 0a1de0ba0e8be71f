"""The Python client of the current generation, 1.x, and conversations. It reads every answer to a send as a stream, so
sends go out by hand."""

import letta_client
from flow import BASE_URL, IS_SMOKE, MODEL, UNKNOWN, check, finish, refused
from letta_client import Letta

client = Letta(base_url=BASE_URL, max_retries=0)
agent = client.agents.create(
    model=MODEL,
    memory_blocks=[{"label": "human", "value": "Name: Ada."}, {"label": "mood", "value": "calm"}],
).id


def tell(place, text, **more):
    body = {"messages": [{"role": "user", "content": text}], "streaming": False, **more}
    answer = client.post(f"/v1/conversations/{place}/messages", body=body, cast_to=object)
    return answer["messages"][-1]["content"]


def texts(items):
    return ["system" if item.message_type == "system_message" else item.content for item in items]


def lifetime():
    isolated = {"isolated_block_labels": ["mood"]}
    first = client.conversations.create(agent_id=agent, summary="Tea", extra_body=isolated)
    check("created", (first.agent_id, first.summary, len(first.isolated_block_ids)), (agent, "Tea", 1))
    check("nothing said", first.last_message_at, None)
    check("answer", tell(first.id, "hello"), "You said: hello")
    found = client.conversations.retrieve(first.id)
    check("in context", len(found.in_context_message_ids), 3)
    check("said", found.last_message_at is not None, True)
    check("renamed", client.conversations.update(first.id, summary="Coffee").summary, "Coffee")
    second = client.conversations.create(agent_id=agent)
    check("listed", [item.id for item in client.conversations.list(agent_id=agent)], [second.id, first.id])
    check("found", [item.id for item in client.conversations.list(summary_search="coff")], [first.id])
    client.conversations.delete(second.id)
    refused("deleted", letta_client.NotFoundError, lambda: client.conversations.retrieve(second.id))
    return first


def messages(conversation):
    for word in ["a", "b", "c"]:
        tell(conversation.id, word)
    said = ["hello", "a", "b", "c"]
    oldest = ["system"] + [text for word in said for text in (word, f"You said: {word}")]
    for limit in [1, 2, 100]:
        listed = list(client.conversations.messages.list(conversation.id, limit=limit))
        check(f"newest first by {limit}", texts(listed), oldest[::-1])
        listed = list(client.conversations.messages.list(conversation.id, limit=limit, order="asc"))
        check(f"oldest first by {limit}", texts(listed), oldest)


def forks(conversation):
    client.blocks.update(conversation.isolated_block_ids[0], value="merry")
    fork = client.conversations.fork(conversation.id)
    check("fork", (fork.summary, len(fork.isolated_block_ids)), (None, 1))
    check("same context", len(client.conversations.retrieve(fork.id).in_context_message_ids), 9)
    text = client.conversations.recompile(fork.id)
    check("own blocks", ("merry" in text, "calm" in text, fork.id in text), (True, False, True))


def default_thread():
    check("default", tell("default", "one", agent_id=agent), "You said: one")
    check("by agent", tell(agent, "two"), "You said: two")
    listed = list(client.conversations.messages.list("default", agent_id=agent, limit=100).items)
    check("listed", texts(listed), ["system", "one", "You said: one", "two", "You said: two"])
    listed = client.agents.messages.list(agent, conversation_id="default", limit=2).items
    check("newest of the agent", texts(listed), ["two", "You said: two"])
    state = client.agents.messages.reset(agent, add_default_initial_messages=False)
    check("reset", len(state.message_ids), 1)
    check("recompile", "calm" in client.agents.recompile(agent), True)


def refusals(conversation):
    refused("unknown", letta_client.NotFoundError, lambda: tell(f"conv-{UNKNOWN}", "hi"))
    refused("no agent", letta_client.BadRequestError, lambda: tell("default", "hi"))
    refused("odd id", letta_client.UnprocessableEntityError, lambda: tell("nowhere", "hi"))
    client.agents.messages.create(agent, messages=[{"role": "user", "content": "hello"}])
    ended = next(iter(client.runs.list(agent_id=agent, limit=1).items)).id
    check("cancelled after the end", client.conversations.cancel(agent), {ended: "cancelled"})
    check("stays as it ended", client.runs.retrieve(ended).status, "completed")
    refused("nothing to cancel", letta_client.ConflictError, lambda: client.conversations.cancel(conversation.id))
    refused(
        "no such block",
        letta_client.BadRequestError,
        lambda: client.conversations.create(agent_id=agent, extra_body={"isolated_block_labels": ["wrong"]}),
    )


talk = lifetime()
if not IS_SMOKE:
    messages(talk)
    forks(talk)
    default_thread()
    refusals(talk)
finish()
