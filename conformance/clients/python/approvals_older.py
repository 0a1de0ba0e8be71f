"""The last Python client of the older generation, 0.1.x, allows calls and denies them."""

import json

from flow import BASE_URL, IS_SMOKE, MODEL, check, finish, refused
from letta_client import ApprovalCreate, CreateBlock, Letta, MessageCreate, RequiresApprovalToolRule
from letta_client.core.api_error import ApiError

client = Letta(base_url=BASE_URL)
NO_RETRY = {"max_retries": 0}


def note(fact):
    return f'!tool memory_insert {json.dumps({"label": "human", "new_string": fact})}\n!say noted'


def send(agent, message):
    return client.agents.messages.create(agent_id=agent, messages=[message], request_options=NO_RETRY)


def ask(agent, fact):
    return send(agent, MessageCreate(role="user", content=note(fact)))


def human(agent):
    return client.agents.blocks.retrieve(agent_id=agent, block_label="human").value


def allow_and_deny(agent):
    asked = ask(agent, "Likes tea.")
    question = asked.messages[0]
    check("class", type(question).__name__, "ApprovalRequestMessage")
    check("reason", asked.stop_reason.stop_reason, "requires_approval")
    check("call", (question.tool_call.name, json.loads(question.tool_call.arguments)["new_string"]), ("memory_insert", "Likes tea."))
    check("not yet", human(agent), "Name: Ada.")
    busy = refused("pending", ApiError, lambda: send(agent, MessageCreate(role="user", content="hello?")))
    check("pending status", (busy.status_code, busy.body["detail"]["pending_request_id"]), (409, question.id))
    done = send(agent, ApprovalCreate(approve=True, approval_request_id=question.id))
    check("done", [item.message_type for item in done.messages], ["tool_return_message", "assistant_message"])
    check("noted", human(agent), "Name: Ada.\nLikes tea.")
    again = refused("again", ApiError, lambda: send(agent, ApprovalCreate(approve=True, approval_request_id=question.id)))
    check("again status", (again.status_code, "No tool call is currently awaiting approval" in again.body["detail"]), (400, True))
    other = ask(agent, "Likes war.").messages[0]
    denied = send(agent, ApprovalCreate(approve=False, approval_request_id=other.tool_call.tool_call_id, reason="not true"))
    check("denied", (denied.messages[0].status, "not true" in denied.messages[0].tool_return), ("error", True))
    check("not noted", human(agent), "Name: Ada.\nLikes tea.")
    kinds = [item.message_type for item in client.agents.messages.list(agent_id=agent, limit=50)]
    check("listed", (kinds.count("approval_request_message"), kinds.count("approval_response_message")), (2, 2))


def watch(agent):
    for tokens in (False, True):
        stream = client.agents.messages.create_stream(
            agent_id=agent,
            messages=[MessageCreate(role="user", content=note("Likes cake."))],
            stream_tokens=tokens,
        )
        asked = [item for item in stream if item.message_type == "approval_request_message"]
        check("name", "".join(item.tool_call.name or "" for item in asked), "memory_insert")
        check("arguments", "Likes cake." in "".join(item.tool_call.arguments or "" for item in asked), True)
        reply = ApprovalCreate(approve=True, approval_request_id=asked[0].id)
        stream = client.agents.messages.create_stream(agent_id=agent, messages=[reply], stream_tokens=tokens)
        items = [item for item in stream if item.message_type != "ping"]
        check("first", (items[0].message_type, items[0].status), ("tool_return_message", "success"))
        check("text", "".join(item.content for item in items if item.message_type == "assistant_message"), "noted")


def switch_off(agent):
    client.agents.tools.modify_approval(agent_id=agent, tool_name="memory_insert", requires_approval=False)
    kinds = [item.message_type for item in ask(agent, "Likes maps.").messages]
    check("free", kinds, ["tool_call_message", "tool_return_message", "assistant_message"])


agent = client.agents.create(
    model=MODEL,
    embedding="openai/text-embedding-3-small",
    memory_blocks=[CreateBlock(label="human", value="Name: Ada.")],
    tool_rules=[RequiresApprovalToolRule(tool_name="memory_insert")],
).id
allow_and_deny(agent)
if not IS_SMOKE:
    watch(agent)
    switch_off(agent)
finish()
