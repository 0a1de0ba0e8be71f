/** One question to a provider's server and its answer as JSON: within a time and a size, and without going elsewhere. */
import type { MemoirError } from "../../shared/errors.ts";
import { parseJson } from "../../shared/json.ts";
import { toModelError } from "../errors.ts";
import type { ProviderAccess } from "../model.ts";
import type { ListingRequest } from "./listed-model.ts";
import { toFields, toText } from "./read-json.ts";

export interface Asking {
  /** For messages to people. */
  readonly provider: string;
  readonly model?: string;
  readonly access: ProviderAccess;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The longest list known is a megabyte. */
const maxBytes = 32 * 1024 * 1024;

export async function askServer(asking: Asking, url: string, request: ListingRequest = {}): Promise<unknown> {
  const { access, timeoutMs, signal } = asking;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await asking.fetch(url, {
      method: request.body ? "POST" : "GET",
      headers: {
        accept: "application/json",
        ...(request.body ? { "content-type": "application/json" } : {}),
        ...request.headers,
        ...access.headers,
      },
      ...(request.body ? { body: JSON.stringify(request.body) } : {}),
      // A key must not follow wherever a server points to.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const text = await readText(response);
    if (!response.ok) throw describeRefusal(response, text);
    return JSON.parse(text);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw explain(error, asking, url);
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error(`the answer is longer than ${maxBytes / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** In the form that errors of provider packages have. */
function describeRefusal({ status, headers }: Response, body: string): object {
  return {
    statusCode: status < 400 ? 400 : status,
    message: status < 400 ? "it points to another address, which is not followed" : findMessage(body),
    responseBody: body,
    responseHeaders: Object.fromEntries(headers),
  };
}

function findMessage(body: string): string {
  const said = toFields(parseJson(body));
  return (
    toText(toFields(said.error).message) ?? toText(said.error) ?? toText(said.message) ?? toText(said.detail) ?? ""
  );
}

function explain(error: unknown, { provider, model = "", access }: Asking, url: string): MemoirError {
  const secrets = [access.apiKey, access.accessKey, ...Object.values(access.headers ?? {})].filter(
    (secret) => secret !== undefined,
  );
  const place = `${provider} (${originOf(url)})`;
  if (error instanceof SyntaxError) {
    return toModelError({ message: "it did not answer with JSON" }, { provider: place, model, secrets });
  }
  return toModelError(findCause(error), { provider: place, model, secrets });
}

/** What fetch itself says is only that it failed. */
function findCause(error: unknown): unknown {
  if (!(error instanceof TypeError && error.cause instanceof Error)) return error;
  const { cause } = error;
  // Of several addresses that were tried, each has its own reason.
  return cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}
