import { expect, test } from "vitest";
import type { PromptMessage } from "../shared/content.ts";
import { loadCounter } from "./tokens.ts";
import { capReturns, returnChars, truncateMessages } from "./truncate.ts";

const say = (role: "user" | "system", text: string): PromptMessage => ({ role, content: [{ type: "text", text }] });
const answer = (text: string): PromptMessage => ({
  role: "assistant",
  content: [{ type: "text", text }],
  toolCalls: [],
});
const call = (id: string, args = "{}"): PromptMessage => ({
  role: "assistant",
  content: [],
  toolCalls: [{ id, name: "look", arguments: args }],
});
const result = (callId: string, output: string): PromptMessage => ({
  role: "tool",
  returns: [{ callId, name: "look", status: "success", output }],
});

const long = "the kettle is on the stove ".repeat(2_000);

test("what fits is left as it is, to the object", async () => {
  const messages = [say("user", "hi"), answer("hello")];
  expect(truncateMessages(messages, 1_000, await loadCounter("openai"))).toEqual(messages);
});

test("long texts lose their middles before any message is left out", async () => {
  const counter = await loadCounter("openai");
  const messages = [say("user", "first"), call("1", JSON.stringify({ long })), result("1", long), say("user", long)];
  const squeezed = truncateMessages(messages, 1_000, counter);
  expect(squeezed.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(squeezed.reduce((sum, message) => sum + counter.message(message), 0)).toBeLessThanOrEqual(1_000);
  const args = squeezed[1]?.role === "assistant" ? squeezed[1].toolCalls[0]?.arguments : undefined;
  expect(() => JSON.parse(args ?? "")).not.toThrow();
});

test("then the oldest go, never a call without its result, and the newest stays", async () => {
  const counter = await loadCounter("openai");
  const messages = Array.from({ length: 200 }, (_, index) => [call(`${index}`), result(`${index}`, "ok")]).flat();
  const squeezed = truncateMessages([...messages, say("user", "and now?")], 300, counter);
  expect(squeezed.at(-1)).toEqual(say("user", "and now?"));
  expect(squeezed.length).toBeGreaterThan(1);
  expect(squeezed[0]?.role).toBe("assistant");
  expect(squeezed.filter(({ role }) => role === "tool").length).toBe(
    squeezed.filter(({ role }) => role === "assistant").length,
  );
});

test("something to answer is always left, however little room there is", async () => {
  const counter = await loadCounter("openai");
  const working = [say("user", "look"), call("1"), result("1", "a cat")];
  expect(truncateMessages(working, 0, counter)).toEqual(working.slice(1));
  const asked = [answer("hello"), say("user", "and now?"), say("system", "Your context is filling up.")];
  expect(truncateMessages(asked, 0, counter)).toEqual(asked.slice(1));
});

test("each message is counted once while the oldest go", async () => {
  const counter = await loadCounter("openai");
  let counted = 0;
  const counting = { ...counter, message: (one: PromptMessage) => ++counted && counter.message(one) };
  const messages = Array.from({ length: 500 }, (_, index) => [call(`${index}`), result(`${index}`, "ok")]).flat();
  truncateMessages(messages, 300, counting);
  expect(counted).toBeLessThanOrEqual(2 * messages.length);
});

test("a signed part is left alone", async () => {
  const signed: PromptMessage = {
    role: "assistant",
    content: [{ type: "text", text: long, signature: "s" }],
    toolCalls: [],
  };
  const [kept] = truncateMessages([signed], 100, await loadCounter("openai"));
  expect(kept).toEqual(signed);
});

test("one result may take a fifth of the window, and says what is missing", () => {
  expect(returnChars(4_096)).toBe(5_000);
  expect(returnChars(100_000)).toBe(80_000);
  expect(capReturns(result("1", "short"), 10)).toEqual(result("1", "short"));
  expect(capReturns(result("1", "a".repeat(15)), 10)).toEqual(result("1", `${"a".repeat(10)}... [truncated 5 chars]`));
});
