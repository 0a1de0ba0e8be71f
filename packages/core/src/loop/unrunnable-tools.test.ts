/** Agents that hold tools this server cannot run, and agents whose sleep-time partner does not run. */
import { expect, test } from "vitest";
import type { Memoir, MemoirOptions } from "../memoir.ts";
import { createDemoModel } from "../model/demo.ts";
import type { Model } from "../model/model.ts";
import { callTool, say, scripted } from "../model/scripted.ts";
import type { NewAgent } from "../services/agents/agent-create.ts";
import { type DialectName, dialects, openTestMemoir } from "../testing/databases.ts";
import { builtinTools } from "../tools/builtin/list.ts";

const only = (model: Model) => ({ get: () => model });

async function tell(memoir: Memoir, agentId: string, text: string) {
  const actor = memoir.defaultActor;
  const input = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }] };
  return await memoir.messages.complete(actor, (await memoir.messages.send(actor, agentId, input)).id);
}

async function createAgent(memoir: Memoir, input: Partial<NewAgent>) {
  return await memoir.agents.create(memoir.defaultActor, { model: "openai/gpt-4o-mini", ...input });
}

interface Logged {
  readonly fields: object;
  readonly message: string;
}

async function openLogged(
  dialect: DialectName,
  context: Parameters<typeof openTestMemoir>[1],
  options: MemoirOptionsPart,
) {
  const warnings: Logged[] = [];
  const warn = (fields: object, message: string) => warnings.push({ fields, message });
  const log = { debug() {}, info() {}, error() {}, warn };
  return { memoir: await openTestMemoir(dialect, context, { ...options, log }), warnings };
}

type MemoirOptionsPart = Partial<MemoirOptions>;

test.for(dialects)(
  "%s: an agent with sleep-time writes its own memory and answers in words",
  async (dialect, context) => {
    const { memoir, warnings } = await openLogged(dialect, context, { models: only(createDemoModel()) });
    const view = await createAgent(memoir, { sleeptime: true, blocks: [{ label: "human", value: "" }] });
    expect(view.group?.kind).toBe("sleeptime");
    expect(memoir.agents.notices(view)).toEqual([expect.stringContaining("does not run on this server yet")]);
    expect(warnings).toEqual([{ fields: { agentId: view.agent.id }, message: memoir.agents.notices(view)[0] }]);
    const { messages } = await tell(memoir, view.agent.id, "My name is Ada.");
    const human = await memoir.blocks.getOfAgent(memoir.defaultActor, view.agent.id, "human");
    expect(human.value).toContain("Ada");
    const last = messages.at(-1);
    expect(last).toMatchObject({ role: "assistant", toolCalls: null });
    expect(last?.content).toEqual([expect.objectContaining({ type: "text" })]);
  },
);

const cannotRun = "send_message_to_agent_async";

test.for(dialects)(
  "%s: a model is not offered tools that cannot run, and is told so if it calls one",
  async (dialect, context) => {
    const model = scripted([
      callTool(cannotRun, { message: "hi", other_agent_id: "agent-1" }),
      say("Without it."),
      say("ok"),
    ]);
    const { memoir, warnings } = await openLogged(dialect, context, { models: only(model) });
    const view = await createAgent(memoir, { tools: [cannotRun, "search_memory"], includeBaseTools: false });
    expect(view.tools.map(({ name }) => name)).toEqual(["search_memory", cannotRun]);
    const { messages } = await tell(memoir, view.agent.id, "go");
    await tell(memoir, view.agent.id, "again");
    expect(model.requests.map(({ tools }) => tools)).toEqual([[], [], []]);
    expect(messages[1]?.toolReturns?.[0]).toMatchObject({
      status: "error",
      output: expect.stringContaining("cannot run"),
    });
    const noted = warnings.filter(({ fields }) => "tools" in fields);
    expect(noted.map(({ fields }) => fields)).toEqual([
      { agentId: view.agent.id, name: view.agent.name, tools: ["search_memory", cannotRun] },
    ]);
    const overview = await memoir.context.overview(memoir.defaultActor, view.agent.id);
    expect(overview.tools).toEqual([]);
  },
);

test.for(dialects)(
  "%s: a rule that demands a tool which cannot run does not silence the agent",
  async (dialect, context) => {
    const model = scripted([say("Hello.")]);
    const memoir = await openTestMemoir(dialect, context, { models: only(model) });
    const { agent } = await createAgent(memoir, {
      tools: [cannotRun],
      toolRules: [{ type: "run-first", tool: cannotRun, args: null }],
    });
    const { messages } = await tell(memoir, agent.id, "hi");
    expect(messages.at(-1)?.content).toEqual([{ type: "text", text: "Hello." }]);
  },
);

test.for(dialects)("%s: attaching a tool that cannot run says so", async (dialect, context) => {
  const memoir = await openTestMemoir(dialect, context, { models: only(scripted([])) });
  const actor = memoir.defaultActor;
  const holder = await createAgent(memoir, { tools: [cannotRun, "memory_rethink"], includeBaseTools: false });
  const { agent } = await createAgent(memoir, {});
  const [runs, fails] = holder.tools;
  const attach = (id: string | undefined) => memoir.agentTools.attach(actor, agent.id, String(id));
  expect((await attach(runs?.id)).notices).toEqual([]);
  expect((await attach(fails?.id)).notices).toEqual([expect.stringContaining(cannotRun)]);
});

test.for(dialects)("%s: of the builtin tools, exactly those marked not-yet cannot run", async (dialect, context) => {
  const memoir = await openTestMemoir(dialect, context, { models: only(scripted([])) });
  const marked = builtinTools.filter(({ run }) => run === "not-yet").map(({ name }) => name);
  expect(marked).toContain(cannotRun);
  for (const { name } of builtinTools) {
    const view = await createAgent(memoir, { tools: [name], includeBaseTools: false });
    expect(memoir.agents.notices(view).length > 0, name).toBe(marked.includes(name));
  }
});
