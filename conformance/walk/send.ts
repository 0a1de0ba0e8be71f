/** Sends the requests of requests.ts, and holds the server and the models that they are sent to. */
import { EventEmitter, once } from "node:events";
import { onTestFinished, type TestContext } from "vitest";
import { createDatabase, type DialectName } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../directed-models.ts";
import { startModelServer } from "../model-server.ts";
import { startServer, type TestServer, type TestServerOptions } from "../server.ts";
import { type Listed, type OpenApi, sampleBody } from "./contract.ts";
import { fill, requests } from "./requests.ts";
import type { Things } from "./things.ts";

export interface WalkServer extends TestServer {
  readonly database: string;
  readonly modelServer: string;
  /** Slow models answer while it is open. */
  readonly gate: { open(): void; close(): void };
}

export async function startWalkServer(
  dialect: DialectName,
  context: TestContext,
  options: TestServerOptions = {},
): Promise<WalkServer> {
  const gate = createGate();
  onTestFinished(gate.open);
  const quick = await startDirectedModels();
  const slow = await startDirectedModels({ gate: gate.passed });
  const models = await startModelServer(["walk-model"]);
  const providers = { openai: quick.providers.openai ?? {}, anthropic: slow.providers.anthropic ?? {} };
  const database = await createDatabase(dialect, context);
  const server = await startServer(dialect, context, { ...options, core: { ...options.core, database, providers } });
  return { ...server, database, modelServer: models.origin, gate };
}

function createGate() {
  let isOpen = false;
  const opened = new EventEmitter();
  return {
    open: () => {
      isOpen = true;
      opened.emit("open");
    },
    close: () => {
      isOpen = false;
    },
    passed: async () => void (isOpen || (await once(opened, "open"))),
  };
}

/** One request with everything filled in. */
export interface Sendable {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly form: { readonly name: string; readonly type: string; readonly text: string } | undefined;
}

/** The request that succeeds, with ids of these things. */
export async function compose(
  document: OpenApi,
  { name, method, path, operation }: Listed,
  things: Things,
): Promise<Sendable> {
  const { query, body, form, use } = requests[name] ?? {};
  const text = method === "GET" || form ? undefined : JSON.stringify(body ?? sampleBody(document, operation));
  const address = query ? `${path}?${query}` : path;
  return {
    method,
    path: await fill(address, things, use),
    body: text && (await fill(text, things, use)),
    form,
  };
}

export async function send(
  url: string,
  { method, path, body, form }: Sendable,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  if (form) {
    const fields = new FormData();
    fields.set("file", new File([form.text], form.name, { type: form.type }));
    return await fetch(url + path, { method, headers, body: fields });
  }
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return await fetch(url + path, { method, headers: { ...headers, ...type }, ...(body === undefined ? {} : { body }) });
}
