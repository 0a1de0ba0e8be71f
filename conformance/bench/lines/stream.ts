/**
 * Streams: how long a message takes to reach the model, how long a piece of a reply takes to reach the reader, and what a
 * piece costs. The first two through the library, with a model in this process; the last on the built server over HTTP,
 * with a provider that sends its pieces as fast as they are taken.
 */

import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Memoir } from "@memoir/core";
import type { Model } from "../../../packages/core/src/model/model.ts";
import type { Line } from "../lines.ts";
import { median } from "../measure.ts";
import { createDatabase, type Dialect, listDialects, startBuilt } from "../start.ts";
import type { Figure } from "../table.ts";
import { usage } from "../usage.ts";

const message = { role: "user" as const, content: [{ type: "text" as const, text: "The kettle is on the stove." }] };

/** Pieces of a reply wait so long for others to share a commit with. */
const gatheringMs = 20;

async function measureTimes(dialect: Dialect): Promise<Figure[]> {
  const times = { called: 0, spoke: 0 };
  const model: Model = {
    async *stream() {
      times.called = performance.now();
      // Whoever asked has turned to other things by now, as with a real provider.
      await sleep(1);
      times.spoke = performance.now();
      yield { type: "text-delta", text: "Noted." };
      await sleep(60);
      const content = [{ type: "text" as const, text: "Noted." }];
      yield { type: "reply", reply: { content, toolCalls: [], finishReason: "stop", usage } };
    },
  };
  const database = await createDatabase(dialect);
  const memoir = new Memoir({ database: database.address, encryptionKey: "bench", models: { get: () => model } });
  await memoir.start();
  const actor = memoir.defaultActor;
  const blocks = [{ label: "human", value: "Name: Ada" }];
  const { agent } = await memoir.agents.create(actor, { model: "openai/gpt-4o-mini", blocks });
  const before: number[] = [];
  const after: number[] = [];
  for (let round = 0; round < 80; round++) {
    const startedAt = performance.now();
    const run = await memoir.messages.send(actor, agent.id, { messages: [message], streamsTokens: true });
    for await (const piece of memoir.messages.watch(actor, run.id)) {
      if (piece.type === "delta" && round >= 20) after.push(performance.now() - times.spoke - gatheringMs);
    }
    if (round >= 20) before.push(times.called - startedAt);
  }
  await memoir.close();
  await database.remove();
  return [
    {
      name: `stream: before the provider is called, median, ${dialect}`,
      value: median(before),
      unit: "ms",
      ...(dialect === "sqlite" ? { target: 1.5 } : {}),
      old: "170 ms",
    },
    {
      name: `stream: first token to first event, median, ${dialect}`,
      value: median(after),
      unit: "ms",
      ...(dialect === "sqlite" ? { target: 1 } : {}),
      notes: [`besides the ${gatheringMs} ms in which pieces gather for a commit`],
    },
  ];
}

const pieces = 2_000;
const readers = 20;

/** A piece every now and then, as providers send them: some dozens a second for each reader. */
async function sendPieces(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    );
  for (let piece = 0; piece < pieces; piece++) {
    send({ content: "word " });
    if (piece % 20 === 19) await sleep(20);
  }
  send({}, "stop");
  response.end("data: [DONE]\n\n");
}

async function measureCost(): Promise<Figure[]> {
  const provider = createServer((request, response) => {
    request.resume().on("end", () => void sendPieces(response));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const { port } = provider.address() as AddressInfo;
  const database = await createDatabase("sqlite");
  const process = startBuilt(database, false, {
    OPENAI_API_KEY: "sk-bench",
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
  });
  const url = await process.ready;
  const pid = await process.pid;
  const agents = await Promise.all(Array.from({ length: readers }, () => createAgent(url)));
  await readStream(url, agents[0] ?? "");
  const cpu = readCpuSeconds(pid);
  const startedAt = performance.now();
  const counts = await Promise.all(agents.map((id) => readStream(url, id)));
  const seconds = (performance.now() - startedAt) / 1_000;
  const events = counts.reduce((sum, count) => sum + count, 0);
  const each = ((readCpuSeconds(pid) - cpu) * 1_000_000) / events;
  process.kill("SIGTERM");
  await process.ended;
  provider.close();
  await database.remove();
  return [
    {
      name: `stream: server CPU for an event, ${readers} readers, sqlite`,
      value: each,
      unit: "us",
      notes: [
        `${Math.round(events / seconds).toLocaleString("en")} events/s, from the provider's bytes to the reader's`,
      ],
    },
  ];
}

async function createAgent(url: string): Promise<string> {
  const body = JSON.stringify({
    model: "openai/gpt-4o-mini",
    memory_blocks: [{ label: "human", value: "Name: Ada" }],
  });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/v1/agents/`, { method: "POST", headers, body });
  return ((await answer.json()) as { id: string }).id;
}

/** How many events came. */
async function readStream(url: string, agentId: string): Promise<number> {
  const body = JSON.stringify({ messages: [{ role: "user", content: "go on" }], stream_tokens: true });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/v1/agents/${agentId}/messages/stream`, { method: "POST", headers, body });
  let events = 0;
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    events += Buffer.from(part).toString("latin1").split("\n\n").length - 1;
  }
  return events;
}

const ticksPerSecond = 100;

function readCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

export const stream: Line = {
  name: "stream",
  async run() {
    const figures: Figure[] = [];
    for (const dialect of listDialects()) figures.push(...(await measureTimes(dialect)));
    return [...figures, ...(await measureCost())];
  },
};
