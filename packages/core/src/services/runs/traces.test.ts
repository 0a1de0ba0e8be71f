/** What models saw: the bytes that were kept, and the same bytes made again from rows. */
import { zstdDecompressSync } from "node:zlib";
import { sql } from "kysely";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import type { MemoirOptions } from "../../memoir.ts";
import type { ContentPart } from "../../shared/content.ts";
import { type Log, silentLog } from "../../shared/log.ts";
import { getStep, listRunSteps } from "../../store/runs/steps.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { startScriptedAnthropic } from "../../testing/scripted-anthropic.ts";
import { openAiFailures, startScriptedOpenAi } from "../../testing/scripted-openai.ts";
import type { Script, WireAnswer, WireRequest } from "../../testing/scripted-server.ts";
import { createTalker, say } from "../../testing/talker.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";
import type { HostTool } from "../../tools/executors/host.ts";
import type { NewAgent } from "../agents/agent-create.ts";

const key = "sk-secret-of-this-test-0042";
const protocols = { openai: startScriptedOpenAi, anthropic: startScriptedAnthropic } as const;
const handles = { openai: "openai/gpt-4o-mini", anthropic: "anthropic/claude-haiku-4-5" } as const;
type ProtocolName = keyof typeof protocols;

const cases = dialects.flatMap((dialect) =>
  (Object.keys(protocols) as ProtocolName[]).map((protocol) => ({ dialect, protocol })),
);

interface Setting {
  readonly protocol?: ProtocolName;
  readonly options?: Partial<MemoirOptions>;
  readonly agent?: NewAgent;
}

const isForSummary = ({ body }: WireRequest) => body.tools === undefined;

async function open(dialect: DialectName, context: TestContext, script: Script, setting: Setting = {}) {
  const { protocol = "openai", options, agent } = setting;
  const server = await protocols[protocol](script);
  onTestFinished(() => server.close());
  const providers = { [protocol]: { apiKey: key, baseUrl: server.baseUrl } };
  const world = await openWorld(dialect, context, { providers, ...options });
  const { memoir, actor } = world;
  const created = await memoir.agents.create(actor, {
    model: handles[protocol],
    blocks: [{ label: "human", value: "Name: Ada" }],
    ...agent,
  });
  const agentId = created.agent.id;
  const tell = async (words: string, parts: readonly ContentPart[] = []) => {
    const content: ContentPart[] = [{ type: "text", text: words }, ...parts];
    const run = await memoir.messages.send(actor, agentId, { messages: [{ role: "user", content }] });
    return await memoir.messages.complete(actor, run.id);
  };
  const asked = () => server.requests.filter((request) => !isForSummary(request)).map(({ text }) => text);
  return { ...world, server, agentId, tell, asked };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function listSteps({ scope }: Opened, runIds: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(runIds.map((id) => listRunSteps(scope, id)));
  return lists.flat().map(({ id }) => id);
}

const toText = (bytes: Uint8Array | null | undefined) => (bytes ? Buffer.from(bytes).toString() : undefined);

async function readBodies({ memoir, actor }: Opened, stepIds: readonly string[]) {
  const stored: (string | undefined)[] = [];
  const rebuilt: (string | undefined)[] = [];
  for (const stepId of stepIds) {
    stored.push(toText((await memoir.traces.getOfStep(actor, stepId))?.request));
    const request = await memoir.traces.rebuild(actor, stepId);
    rebuilt.push(request.isExact ? toText(request.body) : undefined);
  }
  return { stored, rebuilt };
}

const insert = (text: string): WireAnswer => ({
  toolCalls: [{ name: "memory_insert", arguments: JSON.stringify({ label: "human", new_string: text }) }],
});

const pixel: ContentPart = {
  type: "image",
  source: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" },
};

test.for(cases)("$dialect, $protocol: every step's bytes are kept and can be made again", async (input, context) => {
  const lookUp: HostTool = {
    name: "look_up",
    description: "Looks a thing up.",
    parameters: { type: "object", properties: {}, required: [] },
    effect: "read",
    run: () => "known",
  };
  const script = [
    { text: "Hello, Ada – «ünïcödé» \u2028 🙂" },
    insert("Likes tea."),
    {
      text: "Let me see.",
      toolCalls: [
        { name: "look_up", arguments: "{}" },
        { name: "no_such_tool", arguments: "{}" },
      ],
    },
    { text: "Noted." },
    { text: "A picture." },
  ];
  const opened = await open(input.dialect, context, script, {
    protocol: input.protocol,
    options: { tools: [lookUp] },
    agent: { tools: ["look_up"] },
  });
  const results = [await opened.tell("hi"), await opened.tell("remember tea"), await opened.tell("look", [pixel])];
  expect(results.map(({ reason }) => reason)).toEqual(["end_turn", "end_turn", "end_turn"]);
  const sent = opened.asked();
  expect(sent).toHaveLength(5);
  const stepIds = await listSteps(
    opened,
    results.map(({ run }) => run.id),
  );
  expect(await readBodies(opened, stepIds)).toEqual({ stored: sent, rebuilt: sent });

  const first = await opened.memoir.traces.getOfStep(opened.actor, stepIds[0] ?? "");
  expect(first).toMatchObject({ kind: "exchange", runId: results[0]?.run.id, agentId: opened.agentId });
  expect(first?.detail).toMatchObject({ purpose: "step", status: 200, error: null, isCut: false });
  expect(first?.detail.url?.startsWith(opened.server.baseUrl)).toBe(true);
  expect(toText(first?.response)).toMatch(/Ada – «[\s\S]*(\[DONE\]|message_stop"})\n\n$/);
});

test.for(dialects)("%s: what was asked of a provider that fails is kept, try by try", async (dialect, context) => {
  const down = { failure: { ...openAiFailures.server, headers: { "retry-after": "0" } } };
  const opened = await open(dialect, context, [{ text: "Hi." }, insert("x"), down, down, down]);
  const fine = await opened.tell("hi");
  const failed = await opened.tell("and now?");
  expect(failed.reason).toBe("llm_api_error");
  const stepIds = await listSteps(opened, [fine.run.id, failed.run.id]);
  const sent = opened.asked();
  expect(sent).toHaveLength(5);
  expect(await readBodies(opened, stepIds)).toEqual({ stored: sent.slice(0, 3), rebuilt: sent.slice(0, 3) });
  const { memoir, actor } = opened;
  const tries = await memoir.traces.listOfStep(actor, stepIds[2] ?? "");
  expect(tries.map(({ request, detail }) => [toText(request), detail.status])).toEqual(
    sent.slice(2).map((text) => [text, 500]),
  );
  expect(toText(tries[0]?.response)).toContain("The server had an error");
  expect(await memoir.steps.get(actor, stepIds[2] ?? "")).toMatchObject({ status: "failed", runId: failed.run.id });
  expect(await memoir.traces.listOfRun(actor, failed.run.id)).toHaveLength(4);
});

test.for(cases)("$dialect, $protocol: a context that was shortened is rebuilt as it was", async (input, context) => {
  const long = "Tell me more about tea and where it grows. ".repeat(60);
  let count = 0;
  const script = (request: WireRequest): WireAnswer => {
    if (isForSummary(request)) return { text: "They spoke of tea." };
    count++;
    if (count === 9) return { failure: openAiFailures.overflow };
    return count % 3 === 0 ? insert(`Fact ${count}.`) : { text: `Answer ${count}. ${long}` };
  };
  const opened = await open(input.dialect, context, script, {
    protocol: input.protocol,
    agent: { contextWindow: 8_192 },
  });
  const runIds: string[] = [];
  for (let round = 0; round < 9; round++) runIds.push((await opened.tell(`${round}: ${long}`)).run.id);
  await opened.tell("x".repeat(60_000)).then(({ run }) => runIds.push(run.id));
  expect(opened.server.requests.some(isForSummary)).toBe(true);
  const { memoir, actor } = opened;
  const allIds = await listSteps(opened, runIds);
  const allSteps = await Promise.all(allIds.map((id) => getStep(opened.scope, id)));
  const stepIds = allSteps.filter(({ origin }) => origin === null).map(({ id }) => id);
  const { stored, rebuilt } = await readBodies(opened, stepIds);
  // A try that was refused belongs to the step that came of the next.
  expect(stored).toEqual(opened.asked().filter((text) => stored.includes(text)));
  expect(new Set(opened.asked()).size - stored.length).toBeLessThanOrEqual(1);
  expect(rebuilt).toEqual(stored);
  const steps = await Promise.all(stepIds.map((id) => getStep(opened.scope, id)));
  expect(steps.some(({ trail }) => trail?.squeezed !== undefined)).toBe(true);
  expect(steps.some(({ trail }) => typeof trail?.summaryMessageId === "string")).toBe(true);
  const all = await memoir.traces.listOfRun(actor, runIds.at(-1) ?? "");
  expect(all.some(({ detail }) => detail.purpose === "summary")).toBe(true);
  const summaryId = allSteps.find(({ origin }) => origin === "compaction")?.id ?? "";
  expect(toText((await memoir.traces.getOfStep(actor, summaryId))?.request)).toContain("Tell me more about tea");
  await expect(memoir.traces.rebuild(actor, summaryId)).rejects.toMatchObject({ code: "not-found" });
});

test.for(dialects)(
  "%s: without its trace, and by another program, a step is rebuilt all the same",
  async (dialect, context) => {
    const opened = await open(dialect, context, [{ text: "Hi." }, { text: "Ho." }]);
    const { conversation: other } = await opened.memoir.conversations.create(opened.actor, opened.agentId, {});
    const { run } = await opened.tell("hi");
    const [stepId = ""] = await listSteps(opened, [run.id]);
    await opened.memoir.close();
    await opened.store.unscoped.deleteFrom("trace").execute();
    const later = await opened.openAnother();
    expect(await later.traces.getOfStep(opened.actor, stepId)).toBeNull();
    await later.messages.sendTo(opened.actor, other.id, {
      messages: [{ role: "user", content: [{ type: "text", text: "x" }] }],
    });
    const rebuilt = await later.traces.rebuild(opened.actor, stepId);
    expect(toText(rebuilt.body)).toBe(opened.asked()[0]);
    expect(rebuilt.isExact).toBe(true);
    expect(rebuilt.messageIds).toHaveLength(1);
    const keyless = await opened.openAnother({ providers: {} });
    const parts = await keyless.traces.rebuild(opened.actor, stepId);
    expect(parts).toMatchObject({ isExact: false, body: null, system: rebuilt.system, messages: rebuilt.messages });
  },
);

test.for(dialects)("%s: a message that was changed since is told by the hash", async (dialect, context) => {
  const opened = await open(dialect, context, [{ text: "Hi." }]);
  const { run } = await opened.tell("hi");
  const [stepId = ""] = await listSteps(opened, [run.id]);
  await opened.store.unscoped
    .updateTable("message")
    .set({ content: JSON.stringify([{ type: "text", text: "something else" }]) })
    .where("run_id", "=", run.id)
    .where("role", "=", "user")
    .execute();
  expect(await opened.memoir.traces.rebuild(opened.actor, stepId)).toMatchObject({ isExact: false });
});

test.for(dialects)("%s: no key is stored, wherever it turned up", async (dialect, context) => {
  const wrong = { status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } };
  const opened = await open(dialect, context, [{ text: `Your key is ${key}.` }, { failure: wrong }]);
  await opened.tell(`my key is ${key}, keep it`);
  await opened.tell("again");
  await opened.memoir.close();
  const rows = await opened.store.unscoped.selectFrom("trace").selectAll().execute();
  expect(rows).toHaveLength(2);
  for (const { request, response, detail, ...row } of rows) {
    const texts = [request, response ?? new Uint8Array()].map((bytes) => zstdDecompressSync(bytes).toString());
    expect(texts[0]).toContain("my key is ***, keep it");
    expect([...texts, detail, JSON.stringify(row)].join("\n")).not.toContain(key);
  }
});

test.for(dialects)("%s: traces go when their days are over, and not before", async (dialect, context) => {
  const opened = await open(dialect, context, () => ({ text: "Hi." }));
  const runIds = [(await opened.tell("old")).run.id, (await opened.tell("new")).run.id];
  await opened.memoir.close();
  const eightDays = 8 * 24 * 3_600 * 1_000_000;
  const { unscoped } = opened.store;
  await unscoped
    .updateTable("trace")
    .set({ created_at: opened.store.now() - eightDays })
    .where("run_id", "=", runIds[0] ?? "")
    .execute();
  const left = async () => (await unscoped.selectFrom("trace").select("run_id").execute()).map((row) => row.run_id);
  await opened.openAnother({ traceDays: 9 });
  await opened.openAnother();
  await expect.poll(left).toEqual([runIds[1]]);
  await opened.openAnother({ traceDays: 0 });
  await expect.poll(left).toEqual([]);
});

test.for(dialects)(
  "%s: with no days for traces there are none, and steps can still be rebuilt",
  async (dialect, context) => {
    const opened = await open(dialect, context, [{ text: "Hi." }], { options: { traceDays: 0 } });
    const { run } = await opened.tell("hi");
    const [stepId = ""] = await listSteps(opened, [run.id]);
    expect(await opened.memoir.traces.getOfStep(opened.actor, stepId)).toBeNull();
    expect(toText((await opened.memoir.traces.rebuild(opened.actor, stepId)).body)).toBe(opened.asked()[0]);
    expect(await opened.store.unscoped.selectFrom("trace").select("id").execute()).toEqual([]);
  },
);

test.for(dialects)("%s: traces that cannot be written cost no turn, and the log says so", async (dialect, context) => {
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => void warnings.push(message) };
  const opened = await open(dialect, context, () => ({ text: "Hi." }), { options: { log } });
  await sql`alter table trace rename to lost`.execute(opened.store.unscoped);
  const { reason, run } = await opened.tell("hi");
  const [stepId = ""] = await listSteps(opened, [run.id]);
  expect((await opened.memoir.traces.rebuild(opened.actor, stepId)).isExact).toBe(true);
  expect(warnings).toContain("traces could not be stored and are dropped");
  expect([reason, (await opened.tell("again")).reason]).toEqual(["end_turn", "end_turn"]);
});

test.for(dialects)("%s: other organizations see nothing of it", async (dialect, context) => {
  const opened = await open(dialect, context, [{ text: "Hi." }]);
  const { run } = await opened.tell("hi");
  const [stepId = ""] = await listSteps(opened, [run.id]);
  expect(await opened.memoir.traces.getOfStep(opened.actor, stepId)).not.toBeNull();
  const { memoir, actor } = await openNeighbour(opened);
  const refused = { code: "not-found" };
  await expect(memoir.steps.get(actor, stepId)).rejects.toMatchObject(refused);
  await expect(memoir.traces.getOfStep(actor, stepId)).rejects.toMatchObject(refused);
  await expect(memoir.traces.listOfRun(actor, run.id)).rejects.toMatchObject(refused);
  await expect(memoir.traces.rebuild(actor, stepId)).rejects.toMatchObject(refused);
  await expect(memoir.traces.diff(actor, stepId, stepId)).rejects.toMatchObject(refused);
});

test.for(dialects)("%s: a model that is not reached over HTTP has traces too", async (dialect, context) => {
  const talker = createTalker();
  const opened = await open(dialect, context, [], { options: { models: talker.models } });
  const { run } = await opened.tell("hi", [pixel]);
  const [stepId = ""] = await listSteps(opened, [run.id]);
  const { memoir, actor } = opened;
  const trace = await memoir.traces.getOfStep(actor, stepId);
  expect(trace).toMatchObject({ kind: "request", detail: { url: null, error: null } });
  expect(JSON.parse(toText(trace?.request) ?? "")).toEqual(JSON.parse(JSON.stringify(talker.asked[0])));
  expect(JSON.parse(toText(trace?.response) ?? "")).toMatchObject(say("ok"));
  const rebuilt = await memoir.traces.rebuild(actor, stepId);
  expect(rebuilt).toMatchObject({ form: "request", isExact: true });
  expect(toText(rebuilt.body)).toBe(toText(trace?.request));
});

test.for(dialects)("%s: the difference of two steps is what came and what went", async (dialect, context) => {
  const opened = await open(dialect, context, [
    { text: "Hi." },
    insert("Likes tea."),
    { text: "Noted." },
    { text: "Yes." },
  ]);
  const { memoir, actor, agentId } = opened;
  const runIds = [(await opened.tell("hi")).run.id, (await opened.tell("tea")).run.id];
  await memoir.agents.update(actor, agentId, { toolIds: [] });
  runIds.push((await opened.tell("and?")).run.id);
  const [first = "", second = "", third = "", fourth = ""] = await listSteps(opened, runIds);
  const within = await memoir.traces.diff(actor, second, third);
  expect(within).toMatchObject({ system: { hunks: [] }, tools: { added: [], removed: [], changed: [] } });
  expect(within.messages).toMatchObject({ same: 3, removed: [], added: [{ place: 3 }, { place: 4 }] });
  expect(within.messages.added.map(({ message }) => message.role)).toEqual(["assistant", "tool"]);
  const across = await memoir.traces.diff(actor, first, fourth);
  expect(across.system.text).toContain("+Likes tea.");
  expect(across.tools.removed).toContain("memory_insert");
  expect(across.from).toEqual({ stepId: first, isExact: true });
  expect(across.to).toEqual({ stepId: fourth, isExact: true });
  expect(await memoir.traces.diff(actor, first, first)).toMatchObject({
    settings: [],
    messages: { same: 1, added: [] },
  });
});
