/** Calls whose arguments do not fit are refused before anything runs, with every fault at once. */
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { needSandbox } from "../../packages/core/src/testing/sandboxes.ts";
import {
  type ApprovalWorld,
  clipboard,
  give,
  type Json,
  openApprovalWorld,
  say,
  typesOf,
} from "../crash/approval-world.ts";

const call = (tool: string, args: object) => say(`!tool ${tool} ${JSON.stringify(args)}\n!say Sorry.`);
const returnOf = ({ messages }: Json): Json =>
  messages.find(({ message_type: type }: Json) => type === "tool_return_message");

async function callTool({ send }: ApprovalWorld, tool: string, args: object): Promise<Json> {
  const { body } = await send(call(tool, args));
  expect(body.stop_reason.stop_reason).toBe("end_turn");
  return returnOf(body);
}

async function openWorld(dialect: DialectName, context: TestContext, tools: readonly object[] = []) {
  const world = await openApprovalWorld(dialect, context);
  for (const tool of tools) await attach(world, (await world.ask("POST", "/v1/tools/", tool)).body);
  return world;
}

async function attach({ ask, agentId }: ApprovalWorld, tool: Json): Promise<void> {
  expect((await ask("PATCH", `/v1/agents/${agentId}/tools/attach/${tool.id}`)).status).toBe(200);
}

const python = (source_code: string) => ({ source_type: "python", source_code });
const roll = python(`
def roll(sides: int, count: int = 1) -> str:
    """Roll dice.

    Args:
        sides (int): Sides of a die.
        count (int): How many dice.
    """
    return f"{count}d{sides}"
`);
const collect = python(`
def collect(first: str, **more) -> str:
    """Collect words.

    Args:
        first (str): The first.
    """
    return first + ",".join(sorted(f"{name}={value}" for name, value in more.items()))
`);
const greet = {
  source_type: "typescript",
  source_code: `/**
 * Greets someone.
 * @param name Who.
 */
export function greet(name: string): string { return "Hello " + name; }`,
  json_schema: {
    name: "greet",
    description: "Greets someone.",
    parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  },
};

test.for(dialects)(
  "%s: a tool of the embedding program is never handed an argument it does not have",
  async (dialect, context) => {
    const world = await openWorld(dialect, context);
    const answer = await callTool(world, "look_up", { txt: "a", more: 1 });
    expect(answer).toMatchObject({ status: "error" });
    expect(answer.tool_return).toBe(
      'The arguments of look_up do not fit: there is no argument "txt"; there is no argument "more"; ' +
        "the arguments must have required property 'text'. It takes text (required). " +
        "Nothing was done. Correct them and call it again.",
    );
    expect(world.calls).toEqual([]);
    // What older conversations taught a model to add is no reason to refuse.
    await callTool(world, "look_up", { text: "a", request_heartbeat: true, inner_thoughts: "hm", thinking: "hm" });
    expect(world.calls).toEqual([{ tool: "look_up", args: { text: "a" } }]);
  },
);

test.for(dialects)("%s: a builtin tool changes nothing when one argument is unknown", async (dialect, context) => {
  const world = await openWorld(dialect, context);
  const tools = (await world.ask("GET", "/v1/tools/?name=memory_insert")).body;
  await attach(world, tools[0]);
  const block = (await world.ask("POST", "/v1/blocks/", { label: "human", value: "Name: Ada" })).body;
  await world.ask("PATCH", `/v1/agents/${world.agentId}/core-memory/blocks/attach/${block.id}`);
  const answer = await callTool(world, "memory_insert", { label: "human", new_str: "x", insert_line: "end" });
  expect(answer.tool_return).toMatch(
    /there is no argument "new_str";.* required property 'new_string'; insert_line must be integer\. It takes/,
  );
  expect((await world.ask("GET", `/v1/blocks/${block.id}`)).body.value).toBe("Name: Ada");
});

test.for(dialects)("%s: a client is not asked to run a call that does not fit its tool", async (dialect, context) => {
  const { send, stream } = await openWorld(dialect, context);
  const bad = { ...call("read_clipboard", { m: 1, n: "one" }), client_tools: [clipboard] };
  const refused = (await send(bad)).body;
  expect(refused.stop_reason.stop_reason).toBe("end_turn");
  expect(returnOf(refused).tool_return).toMatch(
    /there is no argument "m"; n must be integer\. It takes n \(required\)/,
  );
  const streamed = (await stream({ ...bad, stream_tokens: true })).map(({ data }) => data);
  expect(streamed.find(({ message_type: type }) => type === "stop_reason").stop_reason).toBe("end_turn");
  // A tool without a schema takes anything.
  const free = { ...call("read_clipboard", { m: 1 }), client_tools: [{ name: "read_clipboard" }] };
  const asked = (await send(free)).body;
  expect(typesOf(asked.messages)).toEqual(["approval_request_message"]);
  const tool_returns = [give(asked.messages[0].tool_call.tool_call_id, "text")];
  expect((await send({ messages: [{ type: "tool_return", tool_returns }] })).status).toBe(200);
});

test.for(dialects)("%s: a tool with a source hears of all faults before it starts", async (dialect, context) => {
  await needSandbox(context);
  const world = await openWorld(dialect, context, [roll, collect, greet]);
  const misfit = await callTool(world, "roll", { side: 6, count: "many" });
  expect(misfit.tool_return).toBe(
    'The arguments of roll do not fit: there is no argument "side"; ' +
      "the arguments must have required property 'sides'; count must be integer. It takes sides (required), count. Nothing was done. Correct them and call it again.",
  );
  expect((await callTool(world, "greet", { name: "Ada", loud: true })).tool_return).toContain(
    'there is no argument "loud"',
  );
  expect((await callTool(world, "greet", { name: "Ada" })).tool_return).toBe("Hello Ada");
  // A function with **more takes any name.
  expect((await callTool(world, "collect", { first: "a:", b: 1, c: 2 })).tool_return).toBe("a:b=1,c=2");
  const byHand = await world.ask("POST", `/v1/agents/${world.agentId}/tools/roll/run`, { args: { sides: 6, up: 1 } });
  expect(byHand.body).toMatchObject({ status: "error", func_return: null });
});
