"""The Python client of the current generation, 1.x, allows calls, denies them and runs some itself."""

import asyncio
import json

import letta_client
from flow import BASE_URL, IS_SMOKE, MODEL, check, finish, refused
from letta_client import AsyncLetta, Letta

client = Letta(base_url=BASE_URL)
CLIPBOARD = {
    "name": "read_clipboard",
    "description": "Read the clipboard",
    "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
}
LOOK = '!tool read_clipboard {"n":1}\n!say seen'


def note(fact):
    return f'!tool memory_insert {json.dumps({"label": "human", "new_string": fact})}\n!say noted'


def create():
    agent = client.agents.create(model=MODEL, memory_blocks=[{"label": "human", "value": "Name: Ada."}]).id
    client.agents.tools.update_approval("memory_insert", agent_id=agent, body_requires_approval=True)
    return agent


def human(agent):
    return client.agents.blocks.retrieve("human", agent_id=agent).value


def say(agent, content, **more):
    return client.agents.messages.create(agent, messages=[{"role": "user", "content": content}], **more)


def answer(agent, *approvals, **more):
    messages = [{"type": "approval", "approvals": list(approvals)}]
    return client.agents.messages.create(agent, messages=messages, **more)


def types(answer):
    return [item.message_type for item in answer.messages]


def allow_and_deny(agent):
    asked = say(agent, note("Likes tea."))
    check("asked", (types(asked), asked.stop_reason.stop_reason), (["approval_request_message"], "requires_approval"))
    question = asked.messages[0]
    check("class", type(question).__name__, "ApprovalRequestMessage")
    check("call", (question.tool_call.name, question.tool_calls[0].tool_call_id), ("memory_insert", question.tool_call.tool_call_id))
    check("not yet", human(agent), "Name: Ada.")
    shown = client.agents.retrieve(agent, include=["agent.pending_approval"])
    check("pending", shown.pending_approval.id, question.id)
    # It is retried twice by default; we tell clients not to.
    busy = refused("pending", letta_client.ConflictError, lambda: say(agent, "hello?"))
    check("pending id", busy.body["detail"]["pending_request_id"], question.id)
    check("pending text", "waiting for approval" in busy.body["detail"]["message"], True)
    wrong = {"type": "approval", "tool_call_id": "call_of_nobody", "approve": True}
    problem = refused("wrong id", letta_client.BadRequestError, lambda: answer(agent, wrong))
    check("wrong id text", "Invalid tool call IDs" in str(problem), True)
    done = answer(agent, {"type": "approval", "tool_call_id": question.tool_call.tool_call_id, "approve": True})
    check("done", types(done), ["tool_return_message", "assistant_message"])
    check("step", (done.messages[0].step_id, done.messages[0].status), (question.step_id, "success"))
    check("noted", human(agent), "Name: Ada.\nLikes tea.")
    other = say(agent, note("Likes war.")).messages[0]
    legacy = {"type": "approval", "approval_request_id": other.id, "approve": False, "reason": "not true"}
    denied = client.agents.messages.create(agent, messages=[legacy])
    check("denied", (denied.messages[0].status, "not true" in denied.messages[0].tool_return), ("error", True))
    check("not noted", human(agent), "Name: Ada.\nLikes tea.")
    listed = client.agents.messages.list(agent, limit=50, order="asc").items
    answers = [item for item in listed if item.message_type == "approval_response_message"]
    check("answers", [item.approve for item in answers], [True, False])


def run_here(agent):
    asked = say(agent, LOOK, client_tools=[CLIPBOARD])
    call = asked.messages[0].tool_call
    check("client tool", (call.name, call.arguments, asked.stop_reason.stop_reason), ("read_clipboard", '{"n":1}', "requires_approval"))
    given = {"type": "tool", "tool_call_id": call.tool_call_id, "tool_return": "a poem", "status": "success"}
    done = answer(agent, given, client_tools=[CLIPBOARD])
    check("returned", (done.messages[0].tool_return, done.messages[0].status, done.messages[1].content), ("a poem", "success", "seen"))
    call = say(agent, LOOK, client_tools=[CLIPBOARD]).messages[0].tool_call
    failed = {"type": "tool", "tool_call_id": call.tool_call_id, "tool_return": "no clipboard", "status": "error"}
    done = client.agents.messages.create(agent, messages=[{"type": "tool_return", "tool_returns": [failed]}])
    check("failed", (done.messages[0].status, done.messages[1].content), ("error", "seen"))


def collect(stream):
    return [item for item in stream if item.message_type != "ping"]


def watch(agent):
    for tokens in (False, True):
        items = collect(client.agents.messages.stream(agent, messages=[{"role": "user", "content": LOOK}], client_tools=[CLIPBOARD], stream_tokens=tokens))
        asked = [item for item in items if item.message_type == "approval_request_message"]
        check("same id", len({item.id for item in asked}), 1)
        listed = client.agents.messages.list(agent, limit=1).items
        check("as listed", {item.id for item in listed}, {item.id for item in asked})
        check("nothing behind", client.agents.messages.list(agent, after=asked[0].id).items, [])
        calls = [item.tool_call for item in asked]
        check("name", "".join(call.name or "" for call in calls), "read_clipboard")
        check("arguments", "".join(call.arguments or "" for call in calls), '{"n":1}')
        check("reason", items[-2].stop_reason, "requires_approval")
        given = {"type": "tool", "tool_call_id": calls[0].tool_call_id, "tool_return": "a poem", "status": "success"}
        messages = [{"type": "approval", "approvals": [given]}]
        done = collect(client.agents.messages.stream(agent, messages=messages, stream_tokens=tokens, background=True))
        check("first", (done[0].message_type, done[0].tool_return), ("tool_return_message", "a poem"))
        check("text", "".join(item.content for item in done if item.message_type == "assistant_message"), "seen")


def watch_refusal(agent):
    say(agent, note("Likes cake."))
    read = lambda: collect(client.agents.messages.stream(agent, messages=[{"role": "user", "content": "hello?"}]))
    problem = refused("pending stream", letta_client.APIError, read)
    check("pending stream text", "waiting for approval" in str(problem.body), True)
    cancelled = client.agents.messages.cancel(agent)
    check("cancelled", list(cancelled.values()), ["cancelled"])
    check("free again", say(agent, "!say hello").messages[-1].content, "hello")


async def in_conversation(agent):
    """As the command line client does it: streamed, in the background, answered with fresh otids."""
    talker = AsyncLetta(base_url=BASE_URL)
    conversation = await talker.conversations.create(agent_id=agent)
    options = {"client_tools": [CLIPBOARD], "stream_tokens": True, "background": True, "include_pings": True}
    stream = await talker.conversations.messages.create(conversation.id, messages=[{"role": "user", "content": LOOK, "otid": "ask"}], streaming=True, **options)
    items = [item async for item in stream]
    call = next(item.tool_call for item in items if item.message_type == "approval_request_message")
    given = {"type": "tool", "tool_call_id": call.tool_call_id, "tool_return": "a poem", "status": "success"}
    reply = [{"type": "approval", "approvals": [given], "otid": "answer"}]
    texts = []
    for _ in range(2):
        stream = await talker.conversations.messages.create(conversation.id, messages=reply, streaming=True, **options)
        texts.append("".join([item.content async for item in stream if item.message_type == "assistant_message"]))
    check("the same twice", texts, ["seen", "seen"])
    runs = await talker.runs.list(agent_id=agent, conversation_id=conversation.id)
    check("two runs", len(runs.items), 2)


agent = create()
allow_and_deny(agent)
run_here(agent)
if not IS_SMOKE:
    watch(agent)
    watch_refusal(agent)
    asyncio.run(in_conversation(agent))
finish()
