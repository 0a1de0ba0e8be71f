"""The last Python client of the older generation, 0.1.x, talks to agents."""

import json
from concurrent.futures import ThreadPoolExecutor

from flow import BASE_URL, IS_SMOKE, MODEL, UNKNOWN, check, finish, refused
from letta_client import Base64Image, CreateBlock, ImageContent, Letta, MessageCreate, TextContent
from letta_client.core.api_error import ApiError

client = Letta(base_url=BASE_URL)
CLAUDE = "anthropic/claude-sonnet-4-5-20250929"
EMBEDDING = "openai/text-embedding-3-small"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TEA = '!tool memory_insert {"label":"human","new_string":"Likes tea."}'


def create(model=MODEL, human="Name: Ada.", **given):
    blocks = [CreateBlock(label="human", value=human)]
    return client.agents.create(model=model, embedding=EMBEDDING, memory_blocks=blocks, **given).id


def send(agent, messages, **more):
    return client.agents.messages.create(agent_id=agent, messages=messages, request_options={"max_retries": 0}, **more)


def say(agent, content, **more):
    return send(agent, [MessageCreate(role="user", content=content)], **more)


def types(answer):
    return [item.message_type for item in answer.messages]


def reply(answer):
    return answer.messages[-1].content


def human(agent):
    return client.agents.blocks.retrieve(agent_id=agent, block_label="human").value


def first_words(agent):
    answer = say(agent, "hello there")
    check("text", (types(answer), reply(answer)), (["assistant_message"], "You said: hello there"))
    check("class", type(answer.messages[0]).__name__, "AssistantMessage")
    check("reason", answer.stop_reason.stop_reason, "end_turn")
    usage = answer.usage
    check("usage", (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens, usage.step_count), (100, 10, 110, 1))


def tool_step(agent):
    answer = say(agent, f"note\n{TEA}\n!say noted")
    check("types", types(answer), ["tool_call_message", "tool_return_message", "assistant_message"])
    call, result, last = answer.messages
    check("call", (call.tool_call.name, json.loads(call.tool_call.arguments)["new_string"]), ("memory_insert", "Likes tea."))
    check("return", (result.status, result.name), ("success", "memory_insert"))
    check("return answers call", result.tool_call_id, call.tool_call.tool_call_id)
    check("one run", len({item.run_id for item in answer.messages}), 1)
    check("steps", (call.step_id == result.step_id, result.step_id == last.step_id), (True, False))
    check("otids", [item.otid[:34] for item in answer.messages], [item.id[8:42] for item in answer.messages])
    check("moment has a zone", call.date.utcoffset().total_seconds(), 0.0)
    check("usage", (answer.usage.total_tokens, answer.usage.step_count), (220, 2))
    check("block", human(agent), "Name: Ada.\nLikes tea.")


def ways_to_say(agent):
    several = [MessageCreate(role="user", content="first"), MessageCreate(role="user", content="second", name="bob")]
    check("several", reply(send(agent, several)), "You said: second")
    check("system", reply(send(agent, [MessageCreate(role="system", content="a note")])), "Done.")
    image = ImageContent(source=Base64Image(media_type="image/png", data=PNG))
    check("image", reply(say(agent, [TextContent(text="look"), image])), "You said: look")
    cut = say(agent, f"{TEA}\n!say never", max_steps=1)
    check("max_steps", (cut.stop_reason.stop_reason, types(cut)), ("max_steps", ["tool_call_message", "tool_return_message"]))
    only = say(agent, f"{TEA}\n!say ok", include_return_message_types=["assistant_message"])
    check("filter", (types(only), only.usage.step_count), (["assistant_message"], 2))
    check("thinking as a text", reply(say(agent, "hi", enable_thinking="true")), "You said: hi")


def speaking_by_tool():
    agent = create(agent_type="memgpt_v2_agent")
    shown = say(agent, "hello")
    check("shown", types(shown), ["reasoning_message", "assistant_message"])
    check("thought", (shown.messages[0].reasoning, reply(shown)), ("mock thinking", "You said: hello"))
    bare = say(agent, "hello", use_assistant_message=False)
    check("bare", types(bare), ["reasoning_message", "tool_call_message", "tool_return_message"])
    check("tool", bare.messages[1].tool_call.name, "send_message")


def thinking():
    agent = create(model=CLAUDE, enable_reasoner=True, max_reasoning_tokens=1024, max_tokens=4096)
    answer = say(agent, "!think Let me see.\n!say well")
    check("types", types(answer), ["reasoning_message", "assistant_message"])
    thought = answer.messages[0]
    check("thought", (thought.reasoning, thought.source, thought.signature), ("Let me see.", "reasoner_model", "bW9jay1zaWduYXR1cmU="))
    check("it comes back", reply(say(agent, "!seals")), '["bW9jay1zaWduYXR1cmU="]')


def failures():
    kinds = {400: "llm_bad_request", 401: "llm_authentication", 429: "llm_rate_limit", 500: "llm_error"}
    for status, kind in kinds.items():
        agent = create()
        problem = refused(f"{status}", ApiError, lambda: say(agent, f"!fail {status}"))
        check(f"{status} type", (problem.status_code, problem.body["error"]["type"]), (status, kind))
        check(f"{status} is kept", json.loads(reply(say(agent, "!heard"))), [f"!fail {status}", "!heard"])
    agent = create()
    check("422", refused("empty", ApiError, lambda: send(agent, [])).status_code, 422)
    check("404", refused("no agent", ApiError, lambda: say(f"agent-{UNKNOWN}", "hi")).status_code, 404)


def demo():
    agent = create(model="memoir/demo", human="")
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
finish()
