"""The Python client of the current generation, 1.x: runs, steps, and messages that nobody waits for."""

import time

import letta_client
from flow import BASE_URL, IS_SMOKE, MODEL, UNKNOWN, check, finish, refused
from letta_client import Letta

client = Letta(base_url=BASE_URL, max_retries=0)
agent = client.agents.create(model=MODEL, memory_blocks=[{"label": "human", "value": "Name: Ada."}]).id
EDIT = '!tool memory_insert {"label":"human","new_string":"Likes tea."}\n!say noted'


def user(content):
    return [{"role": "user", "content": content}]


def wait_for(run_id):
    while True:
        run = client.runs.retrieve(run_id)
        if run.completed_at is not None:
            return run
        time.sleep(0.01)


def background():
    run = client.agents.messages.create_async(agent, messages=user("do it later"))
    check("accepted", (run.status, run.background, run.agent_id), ("created", True, agent))
    check("kind", run.metadata["run_type"], "send_message_async")
    ended = wait_for(run.id)
    check("ended", (ended.status, ended.stop_reason), ("completed", "end_turn"))
    items = list(client.runs.messages.list(run.id))
    check("messages", [item.message_type for item in items], ["user_message", "assistant_message"])
    check("answer", items[-1].content, "You said: do it later")
    refused("nothing to cancel", letta_client.ConflictError, lambda: client.agents.messages.cancel(agent))
    check("ended long ago", client.agents.messages.cancel(agent, run_ids=[run.id]), {run.id: "cancelled"})
    return run.id


def streams():
    watched = client.agents.messages.stream(agent, messages=user(EDIT), stream_tokens=True, background=True)
    items = list(watched)
    kinds = [item.message_type for item in items]
    check("begins with a ping", kinds[0], "ping")
    check("ends with what it cost", kinds[-2:], ["stop_reason", "usage_statistics"])
    said = "".join(item.content for item in items if item.message_type == "assistant_message")
    check("words", said, "noted")
    again = list(client.runs.messages.stream(items[0].run_id, starting_after=2))
    check("taken up again", [item.message_type for item in again], kinds[2:])
    refused("a failure inside", letta_client.APIError, lambda: list(client.agents.messages.stream(agent, messages=user("!fail 401"))))


def runs(first):
    client.agents.messages.create(agent, messages=user(EDIT))
    listed = list(client.runs.list(agent_id=agent, limit=1))
    check("runs", (len(listed), listed[-1].id), (2, first))
    second = listed[0]
    check("duration", second.total_duration_ns > 0, True)
    check("oldest first", [run.id for run in client.runs.list(order="asc")], [first, second.id])
    check("by status", [run.id for run in client.runs.list(statuses=["failed"])], [])
    check("by reason", len(list(client.runs.list(stop_reason="end_turn"))), 2)
    check("in background", [run.id for run in client.runs.list(background=True)], [first])
    steps = list(client.runs.steps.list(second.id, limit=1))
    check("steps", [step.stop_reason for step in steps], ["end_turn", None])
    usage = client.runs.usage.retrieve(second.id)
    check("usage", (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (200, 20, 220))
    newest = list(client.runs.messages.list(second.id, order="desc"))
    types = ["assistant_message", "tool_return_message", "tool_call_message", "user_message"]
    check("newest first", [item.message_type for item in newest], types)
    refused("unknown", letta_client.NotFoundError, lambda: client.runs.retrieve(f"run-{UNKNOWN}"))
    refused("no id", letta_client.BadRequestError, lambda: client.runs.retrieve("run-1"))
    return steps[-1]


def steps(step):
    check("retrieved", client.steps.retrieve(step.id).run_id, step.run_id)
    check("model", (step.model, step.provider_name, step.status), ("gpt-4o-mini", "openai", "success"))
    check("details", step.prompt_tokens_details["cached_tokens"], 0)
    rated = client.steps.feedback.create(step.id, feedback="positive", tags=["good"])
    check("rated", (rated.feedback, rated.tags), ("positive", ["good"]))
    check("by feedback", [item.id for item in client.steps.list(feedback="positive")], [step.id])
    check("by tag", [item.id for item in client.steps.list(tags=["good"])], [step.id])
    check("unrated", len(list(client.steps.list(has_feedback=False, limit=1))), 2)
    check("none that old", list(client.steps.list(end_date="2020-01-01T00:00:00Z")), [])
    check("metrics", client.steps.metrics.retrieve(step.id).llm_request_ns > 0, True)
    items = list(client.steps.messages.list(step.id))
    check("messages", [item.message_type for item in items][-2:], ["tool_call_message", "tool_return_message"])
    refused("unknown step", letta_client.NotFoundError, lambda: client.steps.retrieve(f"step-{UNKNOWN}"))


def searches():
    found = client.messages.search(query="later")
    check("found", {item.message_type for item in found}, {"user_message", "assistant_message"})
    check("whose", {item.agent_id for item in found}, {agent})
    check("one agent", len(client.messages.search(query="later", agent_id=agent, limit=1)), 1)
    check("nothing", client.messages.search(query="unheard"), [])
    listed = client.messages.list(limit=2)
    check("newest two", listed[-1].content, "noted")
    parts = client.messages.retrieve(listed[-1].id)
    check("parts", [part.id for part in parts], [listed[-1].id])
    refused("unknown message", letta_client.NotFoundError, lambda: client.messages.retrieve(f"message-{UNKNOWN}"))


first = background()
step = runs(first)
if not IS_SMOKE:
    steps(step)
    searches()
streams()
finish()
