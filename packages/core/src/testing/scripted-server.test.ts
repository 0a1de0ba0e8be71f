import { expect, onTestFinished, test } from "vitest";
import { anthropicFailures, startScriptedAnthropic } from "./scripted-anthropic.ts";
import { startScriptedOpenAi } from "./scripted-openai.ts";
import { splitAwkwardly, type WireAnswer } from "./scripted-server.ts";

const answer: WireAnswer = {
  reasoning: ["Hm."],
  seal: "sealed",
  text: "Hi.",
  toolCalls: [{ id: "call_1", name: "look", arguments: '{"at":1}' }],
};

async function post(url: string, body: object): Promise<Response> {
  return await fetch(url, { method: "POST", body: JSON.stringify(body) });
}

test("OpenAI answers whole as well", async () => {
  const server = await startScriptedOpenAi([answer, answer]);
  onTestFinished(() => server.close());
  const chat = await (await post(`${server.baseUrl}/chat/completions`, { model: "gpt-4o" })).json();
  expect(chat).toMatchObject({
    object: "chat.completion",
    model: "gpt-4o",
    choices: [{ message: { content: "Hi.", tool_calls: [{ id: "call_1" }] }, finish_reason: "tool_calls" }],
    usage: { total_tokens: 150 },
  });
  const response = await (await post(`${server.baseUrl}/responses`, { model: "gpt-5" })).json();
  expect(response).toMatchObject({
    status: "completed",
    output: [{ type: "reasoning", encrypted_content: "sealed" }, { type: "message" }, { type: "function_call" }],
  });
});

test("Anthropic answers whole as well, and fails as told", async () => {
  const server = await startScriptedAnthropic([answer, { failure: anthropicFailures.overloaded }]);
  onTestFinished(() => server.close());
  const message = await (await post(`${server.baseUrl}/messages`, { model: "claude" })).json();
  expect(message).toMatchObject({
    content: [{ type: "thinking" }, { type: "text" }, { type: "tool_use", input: { at: 1 } }],
    stop_reason: "tool_use",
  });
  expect((await post(`${server.baseUrl}/messages`, {})).status).toBe(529);
  expect((await post(`${server.baseUrl}/messages`, {})).status).toBe(500);
});

test("pieces put together are the text", () => {
  expect(splitAwkwardly('{"a":"ä😀"}').join("")).toBe('{"a":"ä😀"}');
  expect(splitAwkwardly("")).toEqual([]);
});
