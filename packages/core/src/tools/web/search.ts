/** What a search on the web is asked for and answers, whoever does it. */
import { type GuardedRequest, type GuardedResponse, guardedFetch } from "../../network/guarded-fetch.ts";
import type { JsonObject } from "../../shared/json.ts";
import { stripTrailingSlashes } from "../../shared/trim.ts";

export interface WebQuery {
  readonly text: string;
  readonly count: number;
  readonly category: string | undefined;
  readonly includesText: boolean;
  readonly includedDomains: readonly string[];
  readonly excludedDomains: readonly string[];
  /** Days in ISO 8601. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Two letters. */
  readonly country: string | undefined;
}

export interface WebResult {
  readonly title: string | null;
  readonly url: string;
  readonly publishedAt: string | null;
  readonly author: string | null;
  readonly text?: string | null;
  readonly highlights?: readonly string[];
  readonly summary?: string | null;
}

/** Where to ask, how, and within which limits. */
export interface SearchAccess {
  /** Begins with http:// or https://. */
  readonly address: string;
  readonly key?: string;
  /** Hosts inside the own network that may be asked. */
  readonly allowedHosts: readonly string[];
  readonly signal: AbortSignal;
}

/** Asks for a page's text. Undefined where it has none. */
export type ReadText = (url: string) => Promise<string | undefined>;

/** Answers at most what was asked for, best first. What it throws is told to the model. */
export type SearchWeb = (query: WebQuery, access: SearchAccess, readText: ReadText) => Promise<WebResult[]>;

const searchTimeoutMs = 30_000;
const maxBytes = 10_000_000;

/** Throws with what the service said when it is not an answer. */
export async function askService(
  service: string,
  { address, key, allowedHosts, signal }: SearchAccess,
  path: string,
  request: Pick<GuardedRequest, "method" | "headers" | "body">,
): Promise<JsonObject> {
  const answer = await guardedFetch(`${stripTrailingSlashes(address)}${path}`, {
    ...request,
    headers: { accept: "application/json", ...request.headers },
    allowedHosts,
    signal,
    maxBytes: maxBytes,
    timeoutMs: searchTimeoutMs,
  });
  if (answer.status < 200 || answer.status > 299) throw new Error(describeRefusal(service, answer, key));
  try {
    return JSON.parse(answer.body.toString()) as JsonObject;
  } catch {
    throw new Error(`${service} did not answer with JSON`);
  }
}

const longestReason = 300;

function describeRefusal(service: string, { status, statusText, body }: GuardedResponse, key = ""): string {
  const text = key === "" ? body.toString() : body.toString().replaceAll(key, "[secret]");
  const said = text.replaceAll(/\s+/g, " ").trim().slice(0, longestReason);
  return `${service} answered ${status} ${statusText}${said === "" ? "" : `: ${said}`}`;
}

export const asText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Objects only, whatever else a service puts into its list. */
export function asObjects(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === "object" && item !== null && !Array.isArray(item));
}
