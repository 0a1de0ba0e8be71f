import fc from "fast-check";
import { expect, test } from "vitest";
import type { ContentPart, PromptMessage, ToolReturn } from "../../shared/content.ts";
import { findGrowthFault } from "../../testing/growth.ts";
import { repairSequence } from "./sequence.ts";

const text = (words: string): ContentPart => ({ type: "text", text: words });
const thought: ContentPart = { type: "reasoning", text: "hm", isNative: true };
const say = (...content: ContentPart[]): PromptMessage => ({ role: "assistant", content, toolCalls: [] });
const call = (...ids: string[]): PromptMessage => ({
  role: "assistant",
  content: [],
  toolCalls: ids.map((id) => ({ id, name: "look", arguments: "{}" })),
});
const give = (callId: string, output = "ok"): ToolReturn => ({ callId, name: "look", status: "success", output });
const answer = (...returns: ToolReturn[]): PromptMessage => ({ role: "tool", returns });
const ask = (...content: ContentPart[]): PromptMessage => ({ role: "user", content });
const lost = { ...give("b"), status: "error", output: "The result of this call was not kept." };

test.for<[string, PromptMessage[], unknown[]]>([
  ["a result without a call goes", [ask(text("a")), answer(give("x"))], [ask(text("a"))]],
  [
    "a result after a mere text goes",
    [say(text("a")), answer(give("x")), ask(text("b"))],
    [say(text("a")), ask(text("b"))],
  ],
  [
    "a call without a result gets one",
    [call("a", "b"), answer(give("a")), ask(text("c"))],
    [call("a", "b"), answer(give("a"), lost as ToolReturn), ask(text("c"))],
  ],
  ["a last call without any result waits", [ask(text("a")), call("a")], [ask(text("a"))]],
  [
    "a second result of a call goes",
    [call("a"), answer(give("a", "first")), answer(give("a", "second"))],
    [call("a"), answer(give("a", "first"))],
  ],
  ["a second call of the same id goes", [call("a", "a"), answer(give("a"))], [call("a"), answer(give("a"))]],
  ["a mere thought goes", [ask(text("a")), say(thought)], [ask(text("a"))]],
  ["blank text goes", [ask(text(" \n"), text("a"))], [ask(text("a"))]],
  ["a blank user message stays one", [ask(text(""))], [ask(text("(empty message)"))]],
  ["a blank alert goes", [{ role: "system", content: [text(" ")] }, ask(text("a"))], [ask(text("a"))]],
])("%s", ([, messages, repaired]) => {
  expect(repairSequence(messages)).toEqual(repaired);
});

test("results in several messages are one answer, also where ids are used again later", () => {
  const messages = [call("a", "b"), answer(give("a")), answer(give("b")), call("a"), answer(give("a", "again"))];
  expect(repairSequence(messages)).toEqual([
    call("a", "b"),
    answer(give("a"), give("b")),
    call("a"),
    answer(give("a", "again")),
  ]);
});

const id = fc.constantFrom("a", "b", "c");
const anyMessage: fc.Arbitrary<PromptMessage> = fc.oneof(
  fc.array(fc.constantFrom(text("hi"), text(" "), thought), { maxLength: 2 }).map((parts) => ask(...parts)),
  fc.array(fc.constantFrom(text("hi"), text(""), thought), { maxLength: 2 }).map((parts) => say(...parts)),
  fc.array(id, { maxLength: 3 }).map((ids) => call(...ids)),
  fc.array(id, { maxLength: 3 }).map((ids) => answer(...ids.map((each) => give(each)))),
);

test("whatever comes in, every provider takes what goes out, and repairing twice changes nothing", () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 12 }), (messages) => {
      const repaired = repairSequence(messages);
      for (const [index, message] of repaired.entries()) {
        if (message.role === "tool") expect(repaired[index - 1]?.role).toBe("assistant");
        if (message.role === "user") expect(message.content.length).toBeGreaterThan(0);
        if (message.role !== "assistant") continue;
        expect(message.content.length + message.toolCalls.length).toBeGreaterThan(0);
        const next = repaired[index + 1];
        const answered = next?.role === "tool" ? next.returns.map(({ callId }) => callId) : [];
        expect(answered.toSorted()).toEqual(message.toolCalls.map((each) => each.id).toSorted());
      }
      expect(repairSequence(repaired)).toEqual(repaired);
    }),
  );
});

test("a long conversation takes no more time than its length asks for", async () => {
  const repair = (text: string) => {
    const turns = Array.from({ length: text.length / 2 }, (_, index) => [call(`c${index}`), answer(give(`c${index}`))]);
    return repairSequence(turns.flat()).length;
  };
  const messages = { name: "messages", write: (size: number) => "m".repeat(size) };
  expect(await findGrowthFault(repair, messages, 20_000)).toBeUndefined();
});
