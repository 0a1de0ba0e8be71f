import { expect, test } from "vitest";
import type { LoggedEvent } from "../shared/events.ts";
import type { Message } from "../store/conversations/messages.ts";
import type { Run, RunEnd } from "../store/runs/runs.ts";
import { createRunBus } from "./run-bus.ts";

const endEvent: LoggedEvent = { type: "run-end", reason: "end_turn", seq: 1 };
const end: RunEnd = {
  epoch: 1,
  status: "completed",
  stopReason: "end_turn",
  endedAt: 7,
  updatedAt: 7,
  takeovers: 0,
  durationNs: 6_000,
  metadata: null,
};

test.for([
  ["short", 10, true],
  ["long", 200_000, false],
] as const)("a %s run that has ended is kept in memory only if it is short", ([, length, isKept]) => {
  const bus = createRunBus();
  const heard: unknown[] = [];
  bus.open("org-1", { id: "run-1", endedAt: null, updatedAt: 1, request: { input: [] } } as unknown as Run);
  bus.subscribe("run-1", (events) => heard.push(events));
  const message = { content: [{ type: "text", text: "a".repeat(length) }] } as unknown as Message;
  bus.publish("run-1", [], [message]);
  expect(bus.find("org-1", "run-1")?.messages).toEqual([message]);
  bus.publish("run-1", [endEvent], [], end);
  expect(heard).toEqual([[], [endEvent]]);
  expect(bus.find("org-1", "run-1") !== undefined).toBe(isKept);
});

test("a run that was answered with something long is not kept either", () => {
  const bus = createRunBus();
  const answers = [{ callId: "call_1", type: "return", status: "success", output: "a".repeat(200_000) }];
  const request = { input: [], approval: { answers } };
  bus.open("org-1", { id: "run-1", endedAt: null, updatedAt: 1, request } as unknown as Run);
  bus.publish("run-1", [endEvent], [], end);
  expect(bus.find("org-1", "run-1")).toBeUndefined();
});

const openRun = (id: string) => ({ id, endedAt: null, updatedAt: 1, request: { input: [] } }) as unknown as Run;

/** Runs that end one after another, and how many of them are still in memory. */
function countKept(content: object, runs: number): number {
  const bus = createRunBus();
  const ids = Array.from({ length: runs }, (_, index) => `run-${index}`);
  for (const id of ids) {
    bus.open("org-1", openRun(id));
    bus.publish(id, [endEvent], [{ content: [content] } as unknown as Message], end);
  }
  const kept = ids.filter((id) => bus.find("org-1", id) !== undefined);
  expect(kept).toEqual(ids.slice(-kept.length));
  return kept.length;
}

test.for([
  ["texts", { type: "text", text: "a".repeat(50_000) }],
  ["images", { type: "image", source: { type: "base64", data: "a".repeat(50_000) } }],
  ["many small parts", Array.from({ length: 1_000 }, (_, index) => ({ index }))],
] as const)("ended runs of %s share 16 MB of memory, and the latest stay", ([, content]) => {
  const kept = countKept(content, 1_000);
  expect(kept).toBeGreaterThan(80);
  expect(kept).toBeLessThan(300);
});

test("of short runs the latest thousand stay", () => {
  expect(countKept({ type: "text", text: "hello" }, 3_000)).toBe(1_000);
});

test("runs that are open stay however much has ended since", () => {
  const bus = createRunBus();
  bus.open("org-1", openRun("open"));
  for (let index = 0; index < 3_000; index++) {
    bus.open("org-1", openRun(`run-${index}`));
    bus.publish(`run-${index}`, [endEvent], [], end);
  }
  expect(bus.find("org-1", "open")).toBeDefined();
});
