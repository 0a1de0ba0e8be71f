"""The last Python client of the older generation, 0.1.x: runs, jobs, batches, and messages that nobody waits for."""

import time

from flow import BASE_URL, MODEL, UNKNOWN, check, finish, refused
from letta_client import CreateBlock, Letta, LettaBatchRequest, MessageCreate
from letta_client.core.api_error import ApiError

client = Letta(base_url=BASE_URL)
ONCE = {"max_retries": 0}
blocks = [CreateBlock(label="human", value="Name: Ada.")]
agent = client.agents.create(model=MODEL, embedding="openai/text-embedding-3-small", memory_blocks=blocks).id


def user(content):
    return [MessageCreate(role="user", content=content)]


def wait_for_all():
    while client.runs.list_active():
        time.sleep(0.01)


def background():
    run = client.agents.messages.create_async(agent_id=agent, messages=user("do it later"))
    check("accepted", (run.status, run.agent_id), ("created", agent))
    wait_for_all()
    check("ended", client.runs.retrieve(run.id).status, "completed")
    check("listed", [item.id for item in client.runs.list(agent_ids=[agent])], [run.id])
    check("messages", len(client.runs.messages.list(run_id=run.id)), 2)
    check("usage", client.runs.usage.retrieve(run_id=run.id).total_tokens, 110)
    steps = client.runs.steps.list(run_id=run.id)
    check("steps", [step.run_id for step in steps], [run.id])
    check("step", client.steps.retrieve(steps[0].id).id, steps[0].id)
    check("all steps", [step.id for step in client.steps.list(agent_id=agent)], [steps[0].id])
    check("cancelled", client.agents.messages.cancel(agent_id=agent, run_ids=[run.id]), {run.id: "cancelled"})
    problem = refused("nothing to cancel", ApiError, lambda: client.agents.messages.cancel(agent_id=agent, request_options=ONCE))
    check("conflict", problem.status_code, 409)
    shown = client.agents.messages.preview(agent_id=agent, request={"messages": [{"role": "user", "content": "x"}]})
    check("preview", shown["model"], "gpt-4o-mini")
    found = client.agents.messages.search(query="later")
    check("found", {item.message.role for item in found}, {"user", "assistant"})
    return run.id


def batches():
    requests = [LettaBatchRequest(agent_id=agent, messages=user(word)) for word in ["one", "two"]]
    batch = client.batches.create(requests=requests)
    check("batch", (batch.job_type, batch.id.startswith("job-")), ("batch", True))
    wait_for_all()
    check("done", client.batches.retrieve(batch.id).status, "completed")
    check("none left", client.batches.list(), [])
    check("jobs", [job.id for job in client.jobs.list()], [batch.id])
    check("active jobs", client.jobs.list_active(), [])
    check("job", client.jobs.retrieve(batch.id).status, "completed")
    check("cancelled too late", client.jobs.cancel_job(batch.id).status, "completed")
    client.batches.cancel(batch.id)
    messages = client.batches.messages.list(batch_id=batch.id).messages
    check("said", [item.role for item in messages], ["assistant", "user", "assistant", "user"])
    check("deleted", client.jobs.delete(batch.id).id, batch.id)
    problem = refused("gone", ApiError, lambda: client.jobs.retrieve(batch.id))
    check("not found", problem.status_code, 404)


run = background()
batches()
client.runs.delete(run)
problem = refused("deleted run", ApiError, lambda: client.runs.retrieve(run))
check("run not found", problem.status_code, 404)
check("no such agent", refused("agent", ApiError, lambda: client.agents.messages.create_async(agent_id=f"agent-{UNKNOWN}", messages=user("x"))).status_code, 404)
finish()
