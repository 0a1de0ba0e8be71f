/** Compares lists of models, and what is said of a stored provider, with what was recorded at the old server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { startJsonServer } from "../packages/core/src/testing/json-server.ts";
import { hasRecordings, recordings, skipRecorded } from "./recordings.ts";
import { startServer } from "./server.ts";

interface Listed {
  handle: string;
  model?: string;
  provider_name: string;
}

function read<Body>(name: string): { request: { body: object }; response: { status: number; body: Body } } {
  return JSON.parse(readFileSync(join(recordings, `${name}.json`), "utf8"));
}

if (hasRecordings) {
  /** The hosted model is not ours to offer, and a model that embeds is none that talks. */
  const isOurs = ({ handle }: Listed) => !handle.startsWith("letta/") && !handle.includes("text-embedding");
  const isEmbedding = ({ handle }: Listed) => !handle.startsWith("letta/");

  test.for(dialects)("%s: models are listed as recorded", async (dialect, context) => {
    const llms = read<Listed[]>("models-list").response.body;
    const embeddings = read<Listed[]>("models-embedding-list").response.body;
    const of = (provider: string) => llms.filter(({ provider_name }) => provider_name === provider);
    const lists = {
      "/openai/v1/models": of("openai").filter(({ model }) => model !== "gpt-5.4-fast"),
      "/v1/models?limit=1000": of("anthropic"),
    };
    const server = await startJsonServer(({ path }) => {
      const models = lists[path as keyof typeof lists];
      return models && { body: { data: models.map(({ model }) => ({ id: model })) } };
    });
    const providers = {
      openai: { apiKey: "k", baseUrl: `${server.origin}/openai/v1` },
      anthropic: { apiKey: "k", baseUrl: server.origin },
    };
    const { url } = await startServer(dialect, context, { core: { providers } });
    const get = async (path: string) => (await (await fetch(url + path)).json()) as Listed[];
    const ours = await get("/v1/models/");
    expect(ours.at(-1)).toMatchObject({ handle: "memoir/demo", provider_type: "letta", model_endpoint_type: "openai" });
    expect(ours.slice(0, -1)).toEqual(
      llms.filter(isOurs).map((model) => ({ ...model, model_endpoint: expect.any(String) })),
    );
    expect(Object.keys(ours[0] ?? {})).toEqual(Object.keys(llms[0] ?? {}));
    const embedders = await get("/v1/models/embedding");
    expect(embedders.at(-1)).toMatchObject({
      handle: "memoir/lexical-512",
      provider_type: "letta",
      embedding_dim: 512,
    });
    expect(embedders.slice(0, -1)).toEqual(
      embeddings.filter(isEmbedding).map((model) => ({ ...model, embedding_endpoint: expect.any(String) })),
    );
  });

  test.for(dialects)("%s: a stored provider is shown as recorded, but for its key", async (dialect, context) => {
    const { url } = await startServer(dialect, context);
    const server = await startJsonServer(() => ({ body: { data: [] } }));
    const send = async (method: string, path: string, body?: object) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
      return (await answer.json()) as Record<string, unknown>;
    };
    const told = {
      id: expect.any(String),
      updated_at: expect.any(String),
      base_url: server.origin,
      api_key_enc: "sealed",
    };
    const create = read<object>("provider-create");
    const created = await send("POST", "/v1/providers/", { ...create.request.body, base_url: server.origin });
    expect(created).toEqual({ ...create.response.body, ...told });
    expect(Object.keys(created)).toEqual(Object.keys(create.response.body));
    const refreshed = await send("PATCH", `/v1/providers/${created.id}/refresh`, {});
    expect(refreshed).toEqual({
      ...read<object>("provider-refresh").response.body,
      ...told,
      last_synced: expect.any(String),
    });
    expect(await send("DELETE", `/v1/providers/${created.id}`)).toEqual({
      message: read<{ message: string }>("provider-delete").response.body.message.replace(
        /provider-[0-9a-f-]{36}/,
        String(created.id),
      ),
    });
    expect(await send("GET", "/v1/providers/")).toEqual(read("providers-list").response.body);
  });
} else skipRecorded("models and providers are as recorded");
