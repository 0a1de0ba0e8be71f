/** Compares lists of models, and what is said of a stored provider, with what was recorded at the old server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startJsonServer } from "../../packages/core/src/testing/json-server.ts";
import { startServer } from "../support/server.ts";
import type { Departure } from "./recorded-departures.ts";
import type { SampleName } from "./recorded-samples.ts";
import { createJudge, hasRecordings, recordings, skipRecorded, testComplete } from "./recordings.ts";
import { compareWire, IdMap } from "./wire-difference.ts";

interface Listed {
  handle: string;
  model?: string;
  provider_name: string;
}

function read<Body>(name: string): { request: { body: object }; response: { status: number; body: Body } } {
  return JSON.parse(readFileSync(join(recordings, `${name}.json`), "utf8"));
}

const departures: readonly Departure[] = [
  { samples: /^models-/, path: /_endpoint$/, reason: "the recording's provider was a mock on another address" },
  { samples: /^provider-/, path: /^base_url$/, reason: "the recording's provider was a mock on another address" },
  { samples: /^provider-/, path: /^api_key_enc$/, reason: "the key is encrypted, and never shown" },
];

if (hasRecordings) {
  const judged = createJudge(["models"], departures);
  const judge = (name: SampleName, theirs: unknown, ours: unknown) =>
    expect(judged.judge(name, compareWire(new IdMap(), theirs, ours))).toEqual([]);

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
    judge("models-list", llms.filter(isOurs), ours.slice(0, -1));
    expect(Object.keys(ours[0] ?? {})).toEqual(Object.keys(llms[0] ?? {}));
    const embedders = await get("/v1/models/embedding");
    expect(embedders.at(-1)).toMatchObject({
      handle: "memoir/lexical-512",
      provider_type: "letta",
      embedding_dim: 512,
    });
    judge("models-embedding-list", embeddings.filter(isEmbedding), embedders.slice(0, -1));
  });

  test.for(dialects)("%s: a stored provider is shown as recorded, but for its key", async (dialect, context) => {
    const { url } = await startServer(dialect, context);
    const server = await startJsonServer(() => ({ body: { data: [] } }));
    const send = async (method: string, path: string, body?: object) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
      return (await answer.json()) as Record<string, unknown>;
    };
    const create = read<object>("provider-create");
    const created = await send("POST", "/v1/providers/", { ...create.request.body, base_url: server.origin });
    judge("provider-create", create.response.body, created);
    expect(created).toMatchObject({ base_url: server.origin, api_key_enc: "sealed" });
    expect(Object.keys(created)).toEqual(Object.keys(create.response.body));
    const refreshed = await send("PATCH", `/v1/providers/${created.id}/refresh`, {});
    judge("provider-refresh", read("provider-refresh").response.body, refreshed);
    const deleted = await send("DELETE", `/v1/providers/${created.id}`);
    judge("provider-delete", read("provider-delete").response.body, deleted);
    judge("providers-list", read("providers-list").response.body, await send("GET", "/v1/providers/"));
  });

  testComplete(judged);
} else skipRecorded("models and providers are as recorded");
