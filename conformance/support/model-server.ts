/** A provider for tests of models: an OpenAI-compatible server that knows one key, lists models, talks and embeds. */
import { type JsonRequest, type JsonServer, startJsonServer } from "../../packages/core/src/testing/json-server.ts";

export const modelKey = "sk-right";

export async function startModelServer(names: readonly string[]): Promise<JsonServer> {
  return await startJsonServer(({ method, path, headers }: JsonRequest) => {
    if (headers.authorization !== `Bearer ${modelKey}`) {
      return { status: 401, body: { error: { message: "Incorrect API key provided" } } };
    }
    if (method === "GET" && path === "/v1/models") return { body: { data: names.map((id) => ({ id })) } };
    return path === "/v1/chat/completions"
      ? { body: events, headers: { "content-type": "text/event-stream" } }
      : undefined;
  });
}

const events = [
  { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content: "hello" } }] },
  { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .concat("data: [DONE]\n\n")
  .join("");
