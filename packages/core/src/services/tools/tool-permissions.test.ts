/** What an agent may call of what it holds: on the way to the model, at the call, and by hand. */
import { describe, expect, type TestContext, test } from "vitest";
import { callTool, type ScriptedReply, say, scripted } from "../../model/scripted.ts";
import type { ToolPermissions, ToolSelection } from "../../shared/tool-permissions.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openWorld, type World } from "../../testing/worlds.ts";
import type { HostTool } from "../../tools/executors/host.ts";
import type { NewAgent } from "../agents/agent-create.ts";

const select = (selection: Partial<ToolSelection>): ToolSelection => ({ names: [], tags: [], kinds: [], ...selection });
const deny = (selection: Partial<ToolSelection>): ToolPermissions => ({ allow: null, deny: select(selection) });
const allow = (selection: Partial<ToolSelection>): ToolPermissions => ({ allow: select(selection), deny: select({}) });

const own = ["conversation_search", "memory_insert"];

/** An agent with tools of its own program and of ours, whose model calls one of them. */
async function open(
  dialect: DialectName,
  context: TestContext,
  toolPermissions?: ToolPermissions,
  script: string | readonly ScriptedReply[] = "send_mail",
  whileSending: () => Promise<void> = async () => {},
) {
  const sent: string[] = [];
  const mail: HostTool = {
    name: "send_mail",
    description: "Sends a mail.",
    parameters: { type: "object", properties: {} },
    effect: "unsafe",
    run: async () => {
      await whileSending();
      sent.push("mail");
      return "sent";
    },
  };
  const model = scripted(typeof script === "string" ? [callTool(script, {}), say("Done.")] : script);
  const world = await openWorld(dialect, context, { tools: [mail], models: { get: () => model } });
  const input: NewAgent = { model: "openai/gpt-4o-mini", tools: [...own, "send_mail"], includeBaseTools: false };
  const { agent } = await world.createAgent({ ...input, ...(toolPermissions ? { toolPermissions } : {}) });
  return { ...world, agentId: agent.id, model, sent };
}

async function tell({ memoir, actor }: Pick<World, "memoir" | "actor">, agentId: string, more: object = {}) {
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];
  const run = await memoir.messages.send(actor, agentId, { messages, ...more });
  return await memoir.messages.complete(actor, run.id);
}

describe.each(dialects)("%s", (dialect) => {
  test("permissions are kept with the agent, replaced as a whole, and taken away by ones that forbid nothing", async (context) => {
    const { memoir, actor, agentId } = await open(dialect, context, deny({ names: ["send_mail"] }));
    const read = async () => (await memoir.agents.get(actor, agentId)).agent.toolPermissions;
    expect(await read()).toEqual(deny({ names: ["send_mail"] }));
    await memoir.agents.update(actor, agentId, { name: "other" });
    expect(await read()).toEqual(deny({ names: ["send_mail"] }));
    await memoir.agents.update(actor, agentId, { toolPermissions: allow({ kinds: ["core"] }) });
    expect(await read()).toEqual(allow({ kinds: ["core"] }));
    await memoir.agents.update(actor, agentId, { toolPermissions: deny({}) });
    expect(await read()).toBeNull();
  });

  test("a tool that is denied is not offered, and calling it all the same does nothing", async (context) => {
    const { sent, model, agentId, ...world } = await open(dialect, context, deny({ names: ["send_mail"] }));
    const result = await tell(world, agentId);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(own);
    expect(result.messages[1]?.toolReturns?.[0]).toMatchObject({
      status: "error",
      output: expect.stringMatching(/send_mail is not permitted.*tool_permissions.*Go on without it/),
    });
    expect(result.reason).toBe("end_turn");
    expect(sent).toEqual([]);
  });

  test("what is denied while a turn is under way is not called in it any more", async (context) => {
    const denied = deny({ names: ["send_mail", "memory_insert"] });
    const edit = callTool("memory_insert", { label: "human", new_string: "late" });
    const script = [callTool("send_mail", {}), callTool("send_mail", {}), edit, say("Done.")];
    const { memoir, actor, agentId, model, sent } = await open(dialect, context, undefined, script, async () => {
      await memoir.agents.update(actor, agentId, { toolPermissions: denied });
    });
    const { messages } = await tell({ memoir, actor }, agentId);
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([3, 1, 1, 1]);
    const returns = messages.flatMap(({ toolReturns }) => toolReturns ?? []);
    expect(returns.map(({ status }) => status)).toEqual(["success", "error", "error"]);
    for (const { output } of returns.slice(1)) expect(output).toContain("is not permitted");
    expect(sent).toHaveLength(1);
  });

  test("what is denied while the model thinks is not called any more, wherever it runs", async (context) => {
    const calls = { send_mail: {}, memory_insert: { label: "human", new_string: "late" }, open_editor: {} };
    const denied = deny({ names: Object.keys(calls) });
    const gate = () => memoir.agents.update(actor, agentId, { toolPermissions: denied });
    const script = Object.entries(calls).flatMap(([name, args]) => [callTool(name, args, { gate }), say("Done.")]);
    const { memoir, actor, agentId, sent } = await open(dialect, context, undefined, script);
    const clientTools = [{ name: "open_editor", description: "Opens.", parameters: { type: "object" } }];
    for (const name of Object.keys(calls)) {
      await memoir.agents.update(actor, agentId, { toolPermissions: deny({}) });
      const { messages, reason } = await tell({ memoir, actor }, agentId, { clientTools });
      expect(reason).toBe("end_turn");
      expect(messages[1]?.toolReturns?.[0]?.output).toContain(`${name} is not permitted`);
    }
    expect(sent).toEqual([]);
  });

  test("a tool follows its permissions when it is renamed", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const jsonSchema = { name: "roll", description: "Rolls.", parameters: { type: "object", properties: {} } };
    const tool = await memoir.tools.save(actor, { source: "def roll():\n    return 1\n", jsonSchema });
    const { agent } = await createAgent({
      toolIds: [tool.id],
      toolPermissions: deny({ names: ["roll"] }),
      toolRules: [],
    });
    await memoir.tools.update(actor, tool.id, { jsonSchema: { ...jsonSchema, name: "throw_dice" } });
    expect((await memoir.agents.get(actor, agent.id)).agent.toolPermissions).toEqual(deny({ names: ["throw_dice"] }));
  });
});

test.for<[what: string, permissions: ToolPermissions, offered: readonly string[]]>([
  ["nothing denied", deny({}), [...own, "send_mail"]],
  ["a kind denied", deny({ kinds: ["core"] }), ["memory_insert", "send_mail"]],
  ["a tag denied that no tool has", deny({ tags: ["mail"] }), [...own, "send_mail"]],
  ["only a name allowed", allow({ names: ["send_mail"] }), ["send_mail"]],
  ["only kinds allowed", allow({ kinds: ["host", "sleeptime"] }), ["memory_insert", "send_mail"]],
  [
    "allowed and denied",
    { allow: select({ kinds: ["host", "core"] }), deny: select({ names: ["send_mail"] }) },
    [own[0] ?? ""],
  ],
  ["nothing allowed", allow({}), []],
])("with %s the model is offered what is left", async ([, permissions, offered], context) => {
  const { model, agentId, ...world } = await open("sqlite", context, permissions, "conversation_search");
  await tell(world, agentId);
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(offered);
});

test("tools are told apart by their tags", async (context) => {
  const { memoir, actor, createAgent } = await openWorld("sqlite", context);
  const save = (name: string, tags: string[]) => {
    const jsonSchema = { name, description: name, parameters: { type: "object", properties: {} } };
    return memoir.tools.save(actor, { source: `def ${name}():\n    return 1\n`, jsonSchema, tags });
  };
  const tools = [await save("look", ["safe", "web"]), await save("shoot", ["web"])];
  const toolIds = tools.map(({ id }) => id);
  const { agent } = await createAgent({ toolIds, includeBaseTools: false, toolPermissions: allow({ tags: ["safe"] }) });
  const { tools: shown } = await memoir.context.overview(actor, agent.id);
  expect(shown.map(({ name }) => name)).toEqual(["look"]);
});

test("an agent that is taken elsewhere may call no more there than here", async (context) => {
  const { memoir, actor, agentId } = await open("sqlite", context, deny({ names: ["send_mail"] }));
  const { agentIds } = await memoir.agentFiles.import(actor, await memoir.agentFiles.export(actor, agentId));
  const { agent } = await memoir.agents.get(actor, agentIds[0] ?? "");
  expect(agent.id).not.toBe(agentId);
  expect(agent.toolPermissions).toEqual(deny({ names: ["send_mail"] }));
});

test("a forbidden tool cannot be called by hand either", async (context) => {
  const { memoir, actor, agentId } = await open("sqlite", context, deny({ kinds: ["core"] }));
  const refused = await memoir.agentTools.run(actor, agentId, "conversation_search", { query: "x" });
  expect(refused).toEqual({ status: "error", error: expect.stringMatching(/conversation_search is not permitted/) });
  const edit = { label: "human", new_string: "x" };
  const tried = await memoir.agentTools.run(actor, agentId, "memory_insert", edit);
  expect(tried).not.toMatchObject({ error: expect.stringMatching(/not permitted/) });
});

test("what clients bring is theirs to run, unless its name is denied", async (context) => {
  const clientTools = ["open_editor", "format_disk"].map((name) => ({
    name,
    description: name,
    parameters: { type: "object", properties: {} },
  }));
  const permissions = { allow: select({ names: ["send_mail"] }), deny: select({ names: ["format_disk"] }) };
  const { model, agentId, ...world } = await open("sqlite", context, permissions, "format_disk");
  const result = await tell(world, agentId, { clientTools });
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["send_mail", "open_editor"]);
  expect(result.messages[1]?.toolReturns?.[0]?.output).toMatch(/format_disk is not permitted/);
});

test("what is forbidden while a call waits for approval does not run when it is approved", async (context) => {
  const { sent, agentId, ...world } = await open("sqlite", context);
  const { memoir, actor } = world;
  await memoir.agentTools.setApproval(actor, agentId, "send_mail", true);
  const asked = await tell(world, agentId);
  expect(asked.reason).toBe("requires_approval");
  await memoir.agents.update(actor, agentId, { toolPermissions: deny({ names: ["send_mail"] }) });
  const callId = asked.messages.at(-1)?.toolCalls?.[0]?.id ?? "";
  const approval = { answers: [{ callId, type: "approve" as const }] };
  const run = await memoir.messages.send(actor, agentId, { messages: [], approval });
  const { messages } = await memoir.messages.complete(actor, run.id);
  expect(messages[0]?.toolReturns?.[0]?.output).toMatch(/send_mail is not permitted/);
  expect(sent).toEqual([]);
});
