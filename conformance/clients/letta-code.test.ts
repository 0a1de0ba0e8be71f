/** letta-code, the coding agent in a terminal, with Memoir as its server. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { directedSeal, startDirectedModels } from "../support/directed-models.ts";
import { type Answerer, installLettaCode, type LettaCode, type Line, type Question } from "../support/letta-code.ts";
import { startServer } from "../support/server.ts";

const model = "openai/gpt-4o-mini";
const quiet = ["--no-skills", "--no-system-info-reminder"];
const fresh = ["--new-agent", "-m", model, "--toolset", "default", ...quiet];
const json = ["--output-format", "json"];

interface Result {
  subtype: string;
  result: string;
  agent_id: string;
  conversation_id: string;
  usage: { total_tokens: number };
}

async function install(dialect: DialectName, context: TestContext, gate?: (event: number) => Promise<unknown>) {
  const models = await startDirectedModels(gate ? { gate } : {});
  const { url, errors } = await startServer(dialect, context, { core: { providers: models.providers } });
  onTestFinished(() => expect(errors).toEqual([]));
  return { ...installLettaCode(context, url), url, models };
}

const rejectAll: Answerer = ({ subtype }) => {
  throw new Error(`${subtype} was not expected`);
};

const write = (text: string, file = "made.txt") => {
  const command = `echo ${text} > ${file} && cat ${file}`;
  return `!tool ShellCommand ${JSON.stringify({ command })}`;
};
const returnsOf = (lines: readonly Line[]) =>
  lines.filter(({ message_type }) => message_type === "tool_return_message") as (Line & {
    tool_return: string;
    status: string;
  })[];

test.for(dialects)(
  "%s: it makes an agent, comes back to it, and its tools run where it runs",
  async (dialect, context) => {
    const { ask, project } = await install(dialect, context);
    const first = await ask<Result>("-p", "!say Good morning.", ...fresh, ...json);
    expect(first).toMatchObject({ subtype: "success", result: "Good morning.", usage: { total_tokens: 110 } });
    const again = ["--conversation", first.conversation_id, ...quiet, ...json];
    const second = await ask<Result>("-p", `${write("here")}\n!heard`, ...again);
    expect(second.conversation_id).toBe(first.conversation_id);
    expect(JSON.parse(second.result)).toContain("!say Good morning.");
    expect(readFileSync(join(project, "made.txt"), "utf8")).toBe("here\n");
  },
);

test("what was said is listed and found, and each conversation keeps its own", async (context) => {
  const { ask, url } = await install("sqlite", context);
  const { agent_id: agentId } = await ask<Result>("-p", "!say Good morning.", ...fresh, ...json);
  const own = await ask<Result>("-p", "!heard", "--agent", agentId, "--conversation", "default", ...quiet, ...json);
  expect(JSON.parse(own.result)).not.toContain("!say Good morning.");
  const listed = await ask<{ message_type: string }[]>("messages", "list", "--agent", agentId);
  const types = listed.map(({ message_type }) => message_type);
  expect(types).toEqual(["system_message", "user_message", "assistant_message"]);
  const found = await ask<{ content?: unknown }[]>("messages", "search", "--query", "morning", "--agent", agentId);
  expect(JSON.stringify(found)).toContain("Good morning.");
  const answer = await fetch(`${url}/v1/agents/${agentId}`);
  const agent = (await answer.json()) as { tags: string[]; tools: { name: string }[] };
  expect(agent.tags).toContain("origin:letta-code");
  expect(agent.tools.map(({ name }) => name).sort()).toEqual(["fetch_webpage", "web_search"]);
});

test("a session holds several turns, survives one that fails, and shows its history", async (context) => {
  const { open } = await install("sqlite", context);
  const session = await open(rejectAll, ...fresh);
  expect((await session.say("!say One.")).result).toBe("One.");
  expect(await session.say("!fail 400")).toMatchObject({ subtype: "error", stop_reason: "llm_api_error" });
  expect(JSON.parse(String((await session.say("!heard")).result))).toContain("!say One.");
  const state = await session.control<{ messages: Line[]; has_pending_approval: boolean }>({
    subtype: "bootstrap_session_state",
  });
  expect(state.has_pending_approval).toBe(false);
  expect(state.messages.map(({ message_type }) => message_type)).toContain("assistant_message");
  const page = await session.control<{ messages: Line[]; has_more: boolean }>({ subtype: "list_messages", limit: 2 });
  expect(page).toMatchObject({ has_more: true, messages: [{ message_type: "assistant_message" }, {}] });
  await session.close();
});

test.for([
  ["an answer", "!say This goes on although the connection does not."],
  ["a call of a tool", '!tool ShellCommand {"command":"echo It goes on."}\n!say This goes on as well.'],
] as const)("a stream that breaks off is taken up where it broke: %s", async ([, prompt], context) => {
  const { url, models } = await install("sqlite", context);
  const wire = await startCuttingProxy(url, 4);
  const session = await installLettaCode(context, wire.url).open(rejectAll, ...fresh);
  const text = prompt.slice(prompt.lastIndexOf("!say ") + 5);
  expect(await session.say(prompt)).toMatchObject({ subtype: "success", result: text });
  expect(returnsOf(session.lines).every(({ tool_return }) => tool_return.includes("It goes on."))).toBe(true);
  expect(wire.cuts).toBe(1);
  expect(wire.paths.filter((path) => path.endsWith("/stream"))).toHaveLength(1);
  const steps = prompt.split("\n").length;
  expect(models.openai.requests.filter(({ method }) => method === "POST")).toHaveLength(steps);
  await session.close();
});

test("a turn that is cancelled ends, and the next one is answered", async (context) => {
  let isHeld = true;
  const gate = async (event: number) => {
    while (isHeld && event > 3) await sleep(10);
  };
  const { open, url } = await install("sqlite", context, gate);
  const session = await open(rejectAll, ...fresh);
  const begun = session.waitFor(({ message_type }) => message_type === "assistant_message");
  const ended = session.waitFor(({ type }) => type === "result");
  session.put("!say This would be a very long answer if anybody let it.");
  await begun;
  const cancel = await fetch(`${url}/v1/conversations/${session.start.conversation_id}/cancel`, { method: "POST" });
  expect(cancel.status).toBe(200);
  expect(await ended).toMatchObject({ stop_reason: "cancelled" });
  isHeld = false;
  expect((await session.say("!say Back.")).result).toBe("Back.");
  await session.close();
});

test("a tool that needs a yes is run with one, and with the arguments that were allowed", async (context) => {
  const { open, project } = await install("sqlite", context);
  const asked: Question[] = [];
  const allow: Answerer = (question) => {
    asked.push(question);
    const command = "echo changed > changed.txt && cat changed.txt";
    return { behavior: "allow", ...(asked.length > 1 ? { updatedInput: { command } } : {}) };
  };
  const session = await open(allow, ...fresh, "--permission-mode", "standard");
  expect((await session.say(`${write("asked")}\n!say Done.`)).result).toBe("Done.");
  expect((await session.say(`${write("asked again")}\n!say Done again.`)).result).toBe("Done again.");
  expect(asked.map(({ tool_name }) => tool_name)).toEqual(["ShellCommand", "ShellCommand"]);
  expect(readFileSync(join(project, "made.txt"), "utf8")).toBe("asked\n");
  expect(readFileSync(join(project, "changed.txt"), "utf8")).toBe("changed\n");
  expect(returnsOf(session.lines).map(({ tool_return, status }) => [tool_return.trim(), status])).toEqual([
    ["asked", "success"],
    ["changed", "success"],
  ]);
  const { messages } = await session.control<{ messages: Line[] }>({ subtype: "list_messages", limit: 5 });
  expect(messages.map(({ message_type }) => message_type)).toEqual([
    "assistant_message",
    "tool_return_message",
    "approval_response_message",
    "approval_request_message",
    "user_message",
  ]);
  await session.close();
});

test("a tool that gets a no is not run, and the agent is told why", async (context) => {
  const { open, project, models } = await install("sqlite", context);
  const deny: Answerer = () => ({ behavior: "deny", message: "Not on a Sunday." });
  const session = await open(deny, ...fresh, "--permission-mode", "standard");
  expect((await session.say(`${write("never")}\n!say Then not.`)).result).toBe("Then not.");
  expect(existsSync(join(project, "made.txt"))).toBe(false);
  expect(returnsOf(session.lines)).toMatchObject([{ status: "error", tool_return: expect.stringContaining("Sunday") }]);
  expect(models.openai.requests.at(-1)?.text).toContain("Not on a Sunday.");
  await session.close();
});

test("several tools at once are all answered", async (context) => {
  const { open, project } = await install("sqlite", context);
  const session = await open(() => ({ behavior: "allow" }), ...fresh, "--permission-mode", "standard");
  const calls = ["one", "two"].map((name) => ({
    name: "ShellCommand",
    arguments: { command: `echo ${name} > ${name}.txt && cat ${name}.txt` },
  }));
  expect((await session.say(`!tools ${JSON.stringify(calls)}\n!say Both.`)).result).toBe("Both.");
  expect(["one", "two"].map((name) => readFileSync(join(project, `${name}.txt`), "utf8"))).toEqual(["one\n", "two\n"]);
  await session.close();
});

test("a model that thinks is shown its thoughts again with what the tool returned", async (context) => {
  const { ask, project, models } = await install("sqlite", context);
  const command = "echo thought > thought.txt && cat thought.txt";
  const words = ["--new-agent", "-m", "anthropic/claude-sonnet-4-5-20250929", ...quiet, ...json];
  const call = `!tool Bash ${JSON.stringify({ command, description: "Writes a file" })}`;
  const done = await ask<Result>("-p", `!think I had better write it down.\n${call}\n!say Written.`, ...words);
  expect(done.result).toBe("Written.");
  expect(readFileSync(join(project, "thought.txt"), "utf8")).toBe("thought\n");
  const last = models.anthropic.requests.at(-1)?.text ?? "";
  expect(last).toContain("I had better write it down.");
  expect(last).toContain(directedSeal);
});

test("its skills are in the system message, and its tools beside those of the agent", async (context) => {
  const { open, models } = await install("sqlite", context);
  const words = ["--new-agent", "-m", model, "--base-tools", "memory_insert", "--no-system-info-reminder"];
  const session = await open(() => ({ behavior: "allow" }), ...words, "--permission-mode", "standard");
  const calls = [
    { name: "ShellCommand", arguments: { command: "echo both" } },
    { name: "memory_insert", arguments: { label: "human", new_string: "Likes tea." } },
  ];
  expect((await session.say(`!tools ${JSON.stringify(calls)}\n!say Both.`)).result).toBe("Both.");
  const { messages, tools } = models.openai.requests.at(-1)?.body ?? {};
  expect(messages[0].content).toContain("creating-skills");
  const names = tools.map((tool: { function: { name: string } }) => tool.function.name);
  expect(names).toEqual(expect.arrayContaining(["memory_insert", "ShellCommand"]));
  const results = messages.filter(({ role }: { role: string }) => role === "tool");
  expect(results).toHaveLength(2);
  await session.close();
});

test("a tool of the program that holds the session is asked for by name", async (context) => {
  const { open } = await install("sqlite", context);
  const external: Answerer = ({ subtype, input }) => {
    if (subtype === "can_use_tool") return { behavior: "allow" };
    return { content: [{ type: "text", text: `22 degrees in ${(input as { city: string }).city}` }] };
  };
  const session = await open(external, ...fresh);
  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const tools = [{ name: "look_outside", description: "Tells the weather", parameters }];
  await session.control({ subtype: "register_external_tools", tools });
  const turn = await session.say('!tool look_outside {"city":"Oslo"}\n!say Warm.');
  expect(turn.result).toBe("Warm.");
  expect(returnsOf(session.lines)).toMatchObject([{ tool_return: "22 degrees in Oslo", status: "success" }]);
  await session.close();
});

/** Leaves a question behind that nobody will answer: the program that was asked is killed. */
async function leaveQuestion(
  { open }: LettaCode,
  words: readonly string[],
): Promise<{ agentId: string; conversationId: string }> {
  const session = await open(() => undefined, ...words, "--permission-mode", "standard");
  const isAsked = session.waitFor(({ type }) => type === "control_request");
  session.put(`${write("late")}\n!say Late, but done.`);
  await isAsked;
  await session.kill();
  return { agentId: String(session.start.agent_id), conversationId: String(session.start.conversation_id) };
}

test("a question left open by a client that died does not block the conversation", async (context) => {
  const code = await install("sqlite", context);
  const { conversationId } = await leaveQuestion(code, fresh);
  const words = ["--conversation", conversationId, ...quiet, "--permission-mode", "standard"];
  const answer = await code.ask<Result>("-p", "!say I am still here.", ...words, ...json);
  expect(answer).toMatchObject({ subtype: "success", result: "I am still here." });
  expect(existsSync(join(code.project, "made.txt"))).toBe(false);
});

test("a question left open is found by the next session and can be settled there", async (context) => {
  const code = await install("sqlite", context);
  const { agent_id: agentId } = await code.ask<Result>("-p", "!say Hello.", ...fresh, ...json);
  const words = ["--agent", agentId, "--conversation", "default", ...quiet];
  await leaveQuestion(code, words);
  const session = await code.open(() => ({ behavior: "allow" }), ...words, "--permission-mode", "standard");
  const bootstrap = { subtype: "bootstrap_session_state" };
  expect(await session.control(bootstrap)).toMatchObject({ has_pending_approval: true });
  expect(await session.say("!say Too early.")).toMatchObject({ subtype: "error" });
  expect(await session.control({ subtype: "recover_pending_approvals" })).toMatchObject({
    recovered: true,
    pending_approval: false,
    approvals_processed: 1,
  });
  expect(await session.control(bootstrap)).toMatchObject({ has_pending_approval: false });
  expect((await session.say("!say Now it goes on.")).result).toBe("Now it goes on.");
  await session.close();
});

test("what only the hosted product has is not found, and says so in JSON", async (context) => {
  const { url } = await install("sqlite", context);
  for (const path of ["metadata/balance", "metadata/user", "environments", "client-side-access-tokens", "templates"]) {
    const answer = await fetch(`${url}/v1/${path}`);
    expect([path, answer.status, await answer.json()]).toEqual([path, 404, { detail: "Not Found" }]);
  }
  expect(await (await fetch(`${url}/v1/providers`)).json()).toEqual([]);
});
