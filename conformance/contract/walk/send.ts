/** Sends the requests of requests.ts, and holds the server and the models that they are sent to. */
import { onTestFinished, type TestContext } from "vitest";
import { createDatabase, type DialectName } from "../../../packages/core/src/testing/databases.ts";
import { type DirectedOptions, startDirectedModels } from "../../support/directed-models.ts";
import { startModelServer } from "../../support/model-server.ts";
import { startServer, type TestServer, type TestServerOptions } from "../../support/server.ts";
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
  direct?: DirectedOptions["direct"],
): Promise<WalkServer> {
  const gate = createGate();
  onTestFinished(gate.open);
  const quick = await startDirectedModels(direct && { direct });
  const slow = await startDirectedModels({ gate: gate.passed });
  const models = await startModelServer(["walk-model"]);
  const providers = { openai: quick.providers.openai ?? {}, anthropic: slow.providers.anthropic ?? {} };
  const database = await createDatabase(dialect, context);
  const server = await startServer(dialect, context, { ...options, core: { ...options.core, database, providers } });
  return { ...server, database, modelServer: models.origin, gate };
}

function createGate() {
  let isOpen = false;
  let waiting: (() => void)[] = [];
  return {
    open: () => {
      isOpen = true;
      for (const pass of waiting) pass();
      waiting = [];
    },
    close: () => {
      isOpen = false;
    },
    passed: () => (isOpen ? Promise.resolve() : new Promise<void>((pass) => waiting.push(pass))),
  };
}

/** One request with everything filled in. */
export interface Sendable {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly form: { readonly name: string; readonly type: string; readonly text: string } | undefined;
}

/** The request that succeeds, with ids of these things; `fields` are put into its body. */
export async function compose(
  document: OpenApi,
  { name, method, path, operation }: Listed,
  things: Things,
  fields?: object,
): Promise<Sendable> {
  const { query, body = sampleBody(document, operation), form, use } = requests[name] ?? {};
  const whole = fields ? { ...(body as object), ...fields } : body;
  const text = method === "GET" || form ? undefined : JSON.stringify(whole);
  const address = query ? `${path}?${query}` : path;
  return {
    method,
    path: await fill(address, things, use),
    body: text && (await fill(text, things, use)),
    form,
  };
}

/** No measure of speed: what takes longer never ends. */
const timeoutMs = 60_000;

export async function send(
  url: string,
  { method, path, body, form }: Sendable,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  if (form) {
    const fields = new FormData();
    fields.set("file", new File([form.text], form.name, { type: form.type }));
    return await fetch(url + path, { method, headers, body: fields, signal: AbortSignal.timeout(timeoutMs) });
  }
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return await fetch(url + path, {
    method,
    headers: { ...headers, ...type },
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body }),
  });
}
