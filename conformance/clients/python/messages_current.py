"""The Python client of the current generation, 1.x, talks to agents. What their models answer stands in what they are
told: see directed-models.ts."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import letta_client
from flow import BASE_URL, IS_SMOKE, MODEL, UNKNOWN, check, finish, refused
from letta_client import AsyncLetta, Letta

client = Letta(base_url=BASE_URL, max_retries=0)
CLAUDE = "anthropic/claude-sonnet-4-5-20250929"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TEA = '!tool memory_insert {"label":"human","new_string":"Likes tea."}'


def create(**given):
    return client.agents.create(
        **{"model": MODEL, "memory_blocks": [{"label": "human", "value": "Name: Ada."}], **given}
    ).id


def say(agent, content, **more):
    return client.agents.messages.create(agent, messages=[{"role": "user", "content": content}], **more)


def types(answer):
    return [item.message_type for item in answer.messages]


def reply(answer):
    return answer.messages[-1].content


def human(agent):
    return client.agents.blocks.retrieve("human", agent_id=agent).value


def first_words(agent):
    answer = say(agent, "hello there")
    check("text", (types(answer), reply(answer)), (["assistant_message"], "You said: hello there"))
    check("class", type(answer.messages[0]).__name__, "AssistantMessage")
    check("reason", answer.stop_reason.stop_reason, "end_turn")
    usage = answer.usage
    check("usage", (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (100, 10, 110))
    check("steps", (usage.step_count, usage.cached_input_tokens, usage.context_tokens), (1, 0, 110))


def tool_step(agent):
    answer = say(agent, f"note\n{TEA}\n!say noted")
    check("types", types(answer), ["tool_call_message", "tool_return_message", "assistant_message"])
    call, result, last = answer.messages
    check("call", (call.tool_call.name, json.loads(call.tool_call.arguments)["new_string"]), ("memory_insert", "Likes tea."))
    check("calls", len(call.tool_calls), 1)
    check("return", (result.status, result.name), ("success", "memory_insert"))
    check("return answers call", result.tool_call_id, call.tool_call.tool_call_id)
    check("returns", [item.status for item in result.tool_returns], ["success"])
    check("one run", len({item.run_id for item in answer.messages}), 1)
    check("run id", call.run_id[:4], "run-")
    check("steps", (call.step_id == result.step_id, result.step_id == last.step_id), (True, False))
    check("otids", [item.otid[:34] for item in answer.messages], [item.id[8:42] for item in answer.messages])
    check("moment has a zone", call.date.utcoffset().total_seconds(), 0.0)
    check("usage", (answer.usage.total_tokens, answer.usage.step_count), (220, 2))
    check("block", human(agent), "Name: Ada.\nLikes tea.")


def ways_to_say(agent):
    check("input", reply(client.agents.messages.create(agent, input="short")), "You said: short")
    several = [{"role": "user", "content": "first"}, {"role": "user", "content": "second", "name": "bob"}]
    check("several", reply(client.agents.messages.create(agent, messages=several)), "You said: second")
    note = client.agents.messages.create(agent, messages=[{"role": "system", "content": "a note"}])
    check("system", reply(note), "Done.")
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    check("image", reply(say(agent, [{"type": "text", "text": "look"}, image])), "You said: look")
    users = [item for item in client.agents.messages.list(agent) if item.message_type == "user_message"]
    shown = next(part for item in users for part in item.content if getattr(part, "type", "") == "image")
    again = {"type": "image", "source": {"type": "letta", "file_id": shown.source.file_id}}
    check("image again", reply(say(agent, [{"type": "text", "text": "look"}, again])), "You said: look")
    cut = say(agent, f"{TEA}\n!say never", max_steps=1)
    check("max_steps", (cut.stop_reason.stop_reason, types(cut)), ("max_steps", ["tool_call_message", "tool_return_message"]))
    only = say(agent, f"{TEA}\n!say ok", include_return_message_types=["assistant_message"])
    check("filter", (types(only), only.usage.step_count), (["assistant_message"], 2))
    check("override", reply(say(agent, "hi", override_model=CLAUDE)), "You said: hi")
    lost = refused("unknown model", letta_client.NotFoundError, lambda: say(agent, "hi", override_model="openai/none"))
    check("404", lost.status_code, 404)


def speaking_by_tool():
    agent = create(agent_type="memgpt_v2_agent")
    shown = say(agent, "hello")
    check("shown", types(shown), ["reasoning_message", "assistant_message"])
    check("thought", (shown.messages[0].reasoning, reply(shown)), ("mock thinking", "You said: hello"))
    bare = say(agent, "hello", use_assistant_message=False)
    check("bare", types(bare), ["reasoning_message", "tool_call_message", "tool_return_message"])
    check("tool", bare.messages[1].tool_call.name, "send_message")


def thinking():
    settings = {"provider_type": "anthropic", "thinking": {"type": "enabled", "budget_tokens": 1024}}
    agent = create(model=CLAUDE, model_settings=settings)
    answer = say(agent, "!think Let me see.\n!say well")
    check("types", types(answer), ["reasoning_message", "assistant_message"])
    thought = answer.messages[0]
    check("thought", (thought.reasoning, thought.source, thought.signature), ("Let me see.", "reasoner_model", "bW9jay1zaWduYXR1cmU="))
    check("it comes back", reply(say(agent, "!seals")), '["bW9jay1zaWduYXR1cmU="]')


def failures():
    classes = {
        400: (letta_client.BadRequestError, "llm_bad_request", "INVALID_ARGUMENT: "),
        401: (letta_client.AuthenticationError, "llm_authentication", "UNAUTHENTICATED: "),
        429: (letta_client.RateLimitError, "llm_rate_limit", "RATE_LIMIT_EXCEEDED: "),
        500: (letta_client.InternalServerError, "llm_error", "INTERNAL_SERVER_ERROR: "),
    }
    for model in [MODEL, CLAUDE]:
        for status, (error, kind, prefix) in classes.items():
            agent = create(model=model)
            problem = refused(f"{status}", error, lambda: say(agent, f"!fail {status}"))
            check(f"{status} type", (problem.status_code, problem.body["error"]["type"]), (status, kind))
            check(f"{status} text", problem.body["error"]["detail"].startswith(prefix), True)
            check(f"{status} is kept", json.loads(reply(say(agent, "!heard"))), [f"!fail {status}", "!heard"])
    agent = create()
    bad = refused("empty", letta_client.UnprocessableEntityError, lambda: client.agents.messages.create(agent, messages=[]))
    check("422", bad.status_code, 422)
    gone = refused("no agent", letta_client.NotFoundError, lambda: say(f"agent-{UNKNOWN}", "hi"))
    check("404", gone.status_code, 404)


def demo():
    agent = create(model="memoir/demo", memory_blocks=[{"label": "human", "value": ""}])
    say(agent, "Hello, my name is Grace.")
    check("demo's block", "Grace" in human(agent), True)
    check("demo remembers", "Grace" in reply(say(agent, "What is my name?")), True)


def at_once(agent):
    texts = [f"message {index}" for index in range(20)]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda text: reply(say(agent, text)), texts))
    check("each its answer", answers, [f"You said: {text}" for text in texts])
    heard = json.loads(reply(say(agent, "!heard")))
    check("each heard once", sorted(heard[-21:-1]), sorted(texts))


async def asynchronously(agent):
    async with AsyncLetta(base_url=BASE_URL) as other:
        answer = await other.agents.messages.create(agent, input="async")
        check("async", reply(answer), "You said: async")


helper = create()
first_words(helper)
tool_step(helper)
if not IS_SMOKE:
    ways_to_say(helper)
    speaking_by_tool()
    thinking()
    failures()
    demo()
    at_once(helper)
    asyncio.run(asynchronously(helper))
finish()
