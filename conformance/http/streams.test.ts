/** Streams as clients live with them: cut anywhere and taken up again, many at once, read slowly or not at all. */
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { type ServerProcess, startServer, startServerProcess } from "../support/server.ts";

interface Frame {
  readonly event: string | null;
  readonly text: string;
}

async function* readFrames(answer: Response): AsyncGenerator<Frame> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of answer.body ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n")) {
      const [, event = null, text = ""] = /^(?:event: (\w+)\n)?data: (.*)$/.exec(rest.slice(0, end)) ?? [];
      yield { event, text };
      rest = rest.slice(end + 2);
    }
  }
}

interface Status {
  readonly status: string;
}

const json = { "content-type": "application/json" };

async function createAgent(url: string): Promise<string> {
  const body = JSON.stringify({ model: "openai/gpt-4o-mini", memory_blocks: [{ label: "human", value: "Name: Ada" }] });
  const answer = await fetch(`${url}/v1/agents/`, { method: "POST", headers: json, body });
  return ((await answer.json()) as { id: string }).id;
}

function send(url: string, agentId: string, input: string, more: object = {}, signal?: AbortSignal) {
  const body = JSON.stringify({ input, streaming: true, ...more });
  return fetch(`${url}/v1/agents/${agentId}/messages`, { method: "POST", headers: json, body, signal });
}

const errand = '!tool memory_insert {"label":"human","new_string":"Likes tea."}\n!say I have noted that you like tea.';

test.for(dialects)(
  "%s: a stream cut after any event and taken up again is the uncut one",
  { timeout: 180_000 },
  async (dialect, context) => {
    const { providers } = await startDirectedModels();
    const { url } = await startServer(dialect, context, { core: { providers } });
    const agentId = await createAgent(url);
    const whole = await Array.fromAsync(
      readFrames(await send(url, agentId, errand, { stream_tokens: true, background: true })),
    );
    const runId = /run-[0-9a-f-]+/.exec(whole[0]?.text ?? "")?.[0];
    const numbers = whole.flatMap(({ text }) => (text.startsWith("{") ? (JSON.parse(text).seq_id ?? []) : []));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(whole.length).toBeGreaterThan(12);
    for (let after = 0; after <= whole.length; after++) {
      const again = await fetch(`${url}/v1/runs/${runId}/stream`, {
        method: "POST",
        headers: json,
        body: JSON.stringify({ starting_after: after }),
      });
      expect(await Array.fromAsync(readFrames(again)), `after ${after}`).toEqual(whole.slice(after));
    }
  },
);

test.for(dialects)("%s: a caller who hangs up does not end the run", async (dialect, context) => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { providers } = await startDirectedModels({ gate: (event) => (event === 2 ? gate : Promise.resolve()) });
  const { url, memoir, errors } = await startServer(dialect, context, { core: { providers } });
  const agentId = await createAgent(url);
  const leaving = new AbortController();
  const frames = readFrames(await send(url, agentId, "!say Hello again.", { stream_tokens: true }, leaving.signal));
  const first = await frames.next();
  const runId = /run-[0-9a-f-]+/.exec(String(first.value?.text))?.[0] ?? "";
  leaving.abort();
  open();
  const result = await memoir.messages.complete(memoir.defaultActor, runId);
  expect(result.reason).toBe("end_turn");
  expect(result.messages[0]?.content).toEqual([{ type: "text", text: "Hello again." }]);
  expect(errors).toEqual([]);
});

/** So long nothing is read: shorter in the everyday suite. */
const pauseMs = process.env.MEMOIR_TEST_LONG ? 60_000 : 2_000;
const stoppedReaders = 4;
const memoryReport = pathToFileURL(join(import.meta.dirname, "..", "support", "memory-report.ts")).href;

test("readers that stop reading slow nobody, cost little memory, and get everything in the end", {
  timeout: 300_000,
}, async (context) => {
  const models = await startDirectedModels();
  const env = { ...models.env, NODE_OPTIONS: `--expose-gc --import ${memoryReport}` };
  const server = await startServerProcess("sqlite", context, { env });
  const { url } = server;
  // Each word another: one that is lost, repeated or moved makes another text.
  const words = Array.from({ length: 10_000 }, (_, index) => `w${index}`).join(" ");
  // What a reader that reads leaves in memory is there before it is measured.
  const whole = await (await send(url, await createAgent(url), `!say ${words}`, { stream_tokens: true })).text();
  const before = await readMemory(server);
  const agents = await Promise.all(Array.from({ length: stoppedReaders }, () => createAgent(url)));
  const readers = await Promise.all(agents.map((agentId) => stopReading(url, agentId, words)));
  // Others are answered meanwhile, and the agents are done although no word of theirs was read.
  const answered = await Array.fromAsync(readFrames(await send(url, await createAgent(url), "!say hi")));
  expect(answered.at(-1)?.text).toBe("[DONE]");
  for (const agentId of agents) await untilCompleted(url, agentId);
  await sleep(pauseMs);
  // Traces of the runs leave memory when they are stored; unread events, were they kept in memory, would stay.
  const unread = whole.length * stoppedReaders;
  const measureGrowth = async () => (await readMemory(server)) - before;
  await expect.poll(measureGrowth, { timeout: 60_000, interval: 1_000 }).toBeLessThan(unread / 2);
  for (const readOn of readers) {
    const text = await readOn();
    const said = [...text.matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)]
      .map(([, piece]) => JSON.parse(`"${piece}"`))
      .join("");
    // Compared as a whole: the difference of two such texts would fill the screen.
    expect(said.trim() === words).toBe(true);
    expect(text).toContain("data: [DONE]");
  }
});

/** Asks for a stream and reads none of it before the answer is called. */
async function stopReading(url: string, agentId: string, words: string): Promise<() => Promise<string>> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const body = JSON.stringify({ input: `!say ${words}`, streaming: true, stream_tokens: true });
  const head = `POST /v1/agents/${agentId}/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  socket.pause();
  socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
  return async () => {
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.resume();
    await once(socket, "close");
    return text;
  };
}

async function untilCompleted(url: string, agentId: string): Promise<void> {
  const list = async () => (await (await fetch(`${url}/v1/runs/?agent_id=${agentId}`)).json()) as Status[];
  await expect.poll(async () => (await list())[0]?.status, { timeout: 120_000 }).toBe("completed");
}

/** What is in use after a garbage collection, in bytes: resident memory also counts what V8 has not returned. */
async function readMemory(server: ServerProcess): Promise<number> {
  const from = server.output().length;
  const find = () => /memory in use: (\d+)\n/.exec(server.output().slice(from))?.[1];
  server.process.kill("SIGUSR2");
  await expect.poll(find, { timeout: 60_000 }).toBeDefined();
  return Number(find());
}

const wordsEach = 100;

test("200 streams of 100 events at once lose and reorder nothing", { timeout: 300_000 }, async (context) => {
  // A word at a time, each after the last was shown: pieces that wait for a commit together would be shown as one.
  const { providers } = await startDirectedModels({ gate: () => sleep(25) });
  const { url } = await startServer("sqlite", context, { core: { providers } });
  const agents = await Promise.all(Array.from({ length: 200 }, () => createAgent(url)));
  const counts = await Promise.all(
    agents.map(async (agentId, index) => {
      const words = Array.from({ length: wordsEach }, (_, word) => `w${index}-${word}`).join(" ");
      const frames = await Array.fromAsync(
        readFrames(await send(url, agentId, `!say ${words}`, { stream_tokens: true })),
      );
      const items = frames.flatMap(({ text }) => (text.startsWith("{") ? [JSON.parse(text)] : []));
      expect(items.map(({ content }) => content ?? "").join("")).toBe(words);
      expect(frames.at(-1)?.text).toBe("[DONE]");
      return frames.length;
    }),
  );
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(100);
});

test.for([
  ["an agent that is not there", "agent-00000000-0000-4000-8000-00000000dead", { input: "hi" }, 404],
  ["no message", "own", { messages: [] }, 422],
] as const)("%s is refused before a stream begins", async ([, agent, body, status], context) => {
  const { url } = await startServer("sqlite", context);
  const agentId = agent === "own" ? await createAgent(url) : agent;
  const text = JSON.stringify({ ...body, streaming: true });
  const answer = await fetch(`${url}/v1/agents/${agentId}/messages`, { method: "POST", headers: json, body: text });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toContain("application/json");
});

test("a run that was not begun for it cannot be followed later", async (context) => {
  const { providers } = await startDirectedModels();
  const { url } = await startServer("sqlite", context, { core: { providers } });
  const agentId = await createAgent(url);
  const [ping] = await Array.fromAsync(readFrames(await send(url, agentId, "!say hi")));
  const runId = /run-[0-9a-f-]+/.exec(ping?.text ?? "")?.[0];
  const answer = await fetch(`${url}/v1/runs/${runId}/stream`, { method: "POST", headers: json, body: "{}" });
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { detail: string }).detail).toContain("not created in background mode");
});
