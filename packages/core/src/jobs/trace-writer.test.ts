import { expect, test } from "vitest";
import { defaultOrgId } from "../shared/ids.ts";
import { type Log, silentLog } from "../shared/log.ts";
import { findContents } from "../store/conversations/content.ts";
import { listStepTraces } from "../store/runs/traces.ts";
import { dialects, openTestStore } from "../testing/databases.ts";
import { type TraceDraft, TraceWriter, textType } from "./trace-writer.ts";

const draft = (index: number, size = 10): TraceDraft => ({
  orgId: defaultOrgId,
  stepId: "step-1",
  runId: null,
  agentId: null,
  kind: "request",
  detail: {
    purpose: "step",
    provider: null,
    model: "m",
    url: null,
    status: null,
    startedAt: index,
    firstByteMs: null,
    durationMs: null,
    error: null,
    isCut: false,
  },
  createdBy: null,
  size,
  render: () => ({ request: `request ${index}`, response: null }),
});

function listen(): { log: Log; warnings: unknown[] } {
  const warnings: unknown[] = [];
  return { warnings, log: { ...silentLog, warn: (fields, message) => void warnings.push([message, fields]) } };
}

test.for(dialects)("%s: what waits is bounded, and what was dropped is told once", async (dialect, context) => {
  const store = await openTestStore(dialect, context);
  const { log, warnings } = listen();
  const options = { keepsTraces: true, intervalMs: 60_000, maxWaiting: 8, maxBytes: 1_000 };
  const writer = new TraceWriter(store, log, options);
  writer.keep(draft(0, 2_000));
  writer.keep(draft(1));
  await writer.flush();
  for (let index = 2; index < 30; index++) writer.keep(draft(index));
  await writer.close();
  const kept = await listStepTraces(store.read(defaultOrgId), ["step-1"]);
  expect(kept.map(({ detail }) => detail.startedAt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(warnings).toEqual([
    ["traces were dropped: more came than could be written", { dropped: 1 }],
    ["traces were dropped: more came than could be written", { dropped: 20 }],
  ]);
});

test.for(dialects)("%s: a text is stored once, whoever stored it", async (dialect, context) => {
  const store = await openTestStore(dialect, context);
  const scope = store.read(defaultOrgId);
  const one = new TraceWriter(store, silentLog, { keepsTraces: false });
  const two = new TraceWriter(store, silentLog, { keepsTraces: false });
  const hashes = [one.keepText(defaultOrgId, "a text"), two.keepText(defaultOrgId, "a text")];
  await Promise.all([one.close(), two.close()]);
  expect(new Set(hashes).size).toBe(1);
  const found = await findContents(scope, hashes);
  expect([...found.values()]).toMatchObject([{ mediaType: textType }]);
  expect(await scope.select("content").select("hash").execute()).toHaveLength(1);
});

test.for(dialects)("%s: texts that could not be stored are tried again", async (dialect, context) => {
  const store = await openTestStore(dialect, context);
  const { log, warnings } = listen();
  let isAway = true;
  const fickle = new Proxy(store, {
    get(target, name) {
      if (name === "write" && isAway) return () => Promise.reject(new Error("away"));
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const writer = new TraceWriter(fickle, log, { keepsTraces: true, intervalMs: 60_000 });
  const hash = writer.keepText(defaultOrgId, "a text");
  writer.keep(draft(1));
  await writer.flush();
  expect(warnings).toHaveLength(2);
  isAway = false;
  await writer.flush();
  expect((await findContents(store.read(defaultOrgId), [hash])).size).toBe(1);
  expect(await listStepTraces(store.read(defaultOrgId), ["step-1"])).toEqual([]);
});
