import { expect, test } from "vitest";
import type { LoggedEvent } from "../events.ts";
import type { Message } from "../store/messages.ts";
import type { Run } from "../store/runs.ts";
import { createRunBus } from "./bus.ts";

const end: LoggedEvent = { type: "run-end", reason: "end_turn", seq: 1 };

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
  bus.publish("run-1", [end], []);
  expect(heard).toEqual([[], [end]]);
  expect(bus.find("org-1", "run-1") !== undefined).toBe(isKept);
});

test("a run that was answered with something long is not kept either", () => {
  const bus = createRunBus();
  const answers = [{ callId: "call_1", type: "return", status: "success", output: "a".repeat(200_000) }];
  const request = { input: [], approval: { answers } };
  bus.open("org-1", { id: "run-1", endedAt: null, updatedAt: 1, request } as unknown as Run);
  bus.publish("run-1", [end], []);
  expect(bus.find("org-1", "run-1")).toBeUndefined();
});
