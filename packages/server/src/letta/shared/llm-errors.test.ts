import { expect, test } from "vitest";
import { serveOnce } from "../../testing/serve-once.ts";
import { llmErrorBody } from "./llm-errors.ts";

test("without a key, users of a server are told what to set and where", async () => {
  const { address } = await serveOnce();
  const post = async (path: string, body: object) =>
    await fetch(`${address}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const made = await post("/v1/agents/", { model: "openai/gpt-4o-mini" });
  const { id } = (await made.json()) as { id: string };
  const sent = await post(`/v1/agents/${id}/messages`, { messages: [{ role: "user", content: "hi" }] });
  expect(sent.status).toBe(401);
  const { error } = (await sent.json()) as { error: { message: string; detail: string } };
  expect(error.message).toBe("No API key is set for the model provider.");
  expect(error.detail).toContain("set OPENAI_API_KEY and start the server again, or store a provider with a key");
  expect(error.detail).not.toContain("apiKey");
});

test("a key that was refused is still called so", () => {
  const body = llmErrorBody({ code: "llm-authentication", message: "openai answered 401: Incorrect API key" });
  expect(body).toMatchObject({ error: { message: "The model provider did not accept the API key." } });
});
