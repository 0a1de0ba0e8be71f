import type { ReplyPiece } from "@memoir/core";
import { expect, test } from "vitest";
import { createDeltaMapper } from "./deltas.ts";
import { viewOf } from "./mapper.ts";

// biome-ignore lint/suspicious/noExplicitAny: items are looked at from outside
type Item = any;

const owner = {
  messageId: "message-00000000-0000-4000-8000-000000000a05",
  stepId: "step-1",
  runId: "run-1",
  date: "2026-01-02T03:04:05+00:00",
};

/** The call in pieces of so many characters. */
function show(args: string, size: number, call: Partial<Extract<ReplyPiece, { type: "call" }>> = {}): Item[] {
  const map = createDeltaMapper(owner, viewOf("memgpt_v2_agent", {}));
  const texts = Array.from({ length: Math.ceil(args.length / size) }, (_, n) => args.slice(n * size, (n + 1) * size));
  const pieces: ReplyPiece[] = [
    { type: "call", callId: "call_1", name: "memory_insert", ...call },
    ...texts.map((text): ReplyPiece => ({ type: "arguments", callId: "call_1", text })),
  ];
  return pieces.flatMap(map);
}

const thoughtsOf = (items: Item[]) => items.map(({ reasoning }) => reasoning ?? "").join("");

test.for([1, 3, 1_000])("an older kind's thoughts come first, then its call, whole, in pieces of %i", (size) => {
  for (const args of ['{"thinking":"store it","label":"human"}', '{"label":"human","thinking":"store it"}']) {
    const items = show(args, size);
    expect(thoughtsOf(items)).toBe("store it");
    const calls = items.filter(({ message_type: type }) => type === "tool_call_message");
    expect(items.slice(-2)).toEqual(calls);
    expect(calls.map(({ tool_call: call }) => call)).toEqual([
      { name: "memory_insert", tool_call_id: "call_1" },
      { arguments: '{"label":"human"}', tool_call_id: "call_1" },
    ]);
  }
});

test("a call that will be asked for is part of its message, with all its keys", () => {
  const items = show('{"thinking":"hm","label":"human"}', 4, { isAsked: true });
  const asked = items.filter(({ message_type: type }) => type === "approval_request_message");
  const { messageId: id } = owner;
  expect(asked.map((item) => [item.id, item.otid, item.tool_call])).toEqual([
    [id, id, { name: "memory_insert", arguments: null, tool_call_id: "call_1" }],
    [id, id, { name: null, arguments: '{"label":"human"}', tool_call_id: "call_1" }],
  ]);
});

test("what the message tool says grows as it is written", () => {
  const args = '{"thinking":"hm","message":"Hello \\"you\\""}';
  const items = show(args, 5, { name: "send_message" });
  expect(thoughtsOf(items)).toBe("hm");
  expect(items.map(({ content }) => content ?? "").join("")).toBe('Hello "you"');
  expect(items.length).toBeGreaterThan(3);
});
