/** Agents behind the paths of OpenAI clients, whole and in pieces. */
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";

const json = { "content-type": "application/json" };

test.for(dialects)("%s: an agent answers chat completions and remembers", async (dialect, context) => {
  const { providers } = await startDirectedModels();
  const { url, memoir } = await startServer(dialect, context, { core: { providers } });
  const { agent } = await memoir.agents.create(memoir.defaultActor, { model: "openai/gpt-4o-mini" });
  const ask = (content: unknown, more: object = {}) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ model: agent.id, messages: [{ role: "user", content }], temperature: 0, ...more }),
    });
  const whole = await (await ask("!say Hello there.")).json();
  expect(whole).toEqual({
    id: expect.stringMatching(/^chatcmpl-run-/),
    object: "chat.completion",
    created: expect.any(Number),
    model: "gpt-4o-mini",
    service_tier: null,
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello there.", refusal: null },
        finish_reason: "stop",
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  });
  const text = await (await ask([{ type: "text", text: "!heard" }], { stream: true })).text();
  const frames = text.trim().split("\n\n");
  expect(frames.at(-1)).toBe("data: [DONE]");
  const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame.slice("data: ".length)));
  expect(chunks[0].choices[0].delta.role).toBe("assistant");
  expect(chunks.slice(1).every(({ choices }) => choices[0].delta.role === null)).toBe(true);
  expect(chunks.at(-1).choices[0]).toMatchObject({ delta: { content: null }, finish_reason: "stop" });
  const said = chunks.map(({ choices }) => choices[0].delta.content ?? "").join("");
  expect(JSON.parse(said)).toEqual(["!say Hello there.", "!heard"]);
});

test.for(dialects)("%s: a completion that is asked for again is the first one", async (dialect, context) => {
  const { providers, openai } = await startDirectedModels();
  const { url, memoir } = await startServer(dialect, context, { core: { providers } });
  const { agent } = await memoir.agents.create(memoir.defaultActor, { model: "openai/gpt-4o-mini" });
  const ask = async () => {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { ...json, "idempotency-key": "one" },
      body: JSON.stringify({ model: agent.id, messages: [{ role: "user", content: "!say Once." }] }),
    });
    return await answer.json();
  };
  const first = await ask();
  expect(first).toMatchObject({ choices: [{ message: { content: "Once." } }] });
  expect(await ask()).toEqual(first);
  expect(openai.requests).toHaveLength(1);
});

test.for([
  [{ model: "gpt-4o", messages: [{ role: "user", content: "hi" }] }, 400, "id of an agent"],
  [{ model: "agent-00000000-0000-4000-8000-00000000dead", messages: [{ role: "user", content: "hi" }] }, 404, "Agent"],
] as const)("a completion that makes no sense is refused: %o", async ([body, status, detail], context) => {
  const { url } = await startServer("sqlite", context);
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: json,
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(status);
  expect(((await answer.json()) as { detail: string }).detail).toContain(detail);
});
