/** Tools that call somebody's REST API. Its answer is what the agent sees; a refusal is an error it can act on. */
import { type GuardedResponse, guardedFetch } from "../../network/guarded-fetch.ts";
import { type JsonObject, type JsonValue, parseJson } from "../../shared/json.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import { version } from "../../shared/version.ts";
import { buildRequest } from "../rest/build-request.ts";
import { effectOf, findOperation, type RestOperation } from "../rest/operation.ts";
import type { Executors, OutsideCall } from "../tool.ts";

export interface RestTools {
  /** Hosts inside the own network that may be called. */
  readonly allowedHosts: readonly string[];
  /** What is sealed for the tool, by name. */
  readonly readSecrets: (orgId: string, toolId: string) => Promise<Readonly<Record<string, string>>>;
}

/** For all that is around the request itself. */
const slackMs = 5_000;
const longestAnswer = 1_000_000;

export function createRestExecutors(tools: RestTools): Executors {
  return {
    find(tool) {
      const operation = findOperation(tool);
      if (!operation) return undefined;
      return {
        effect: effectOf(operation.method),
        timeoutMs: operation.timeoutMs + slackMs,
        run: async (args, call) => ({ output: await callApi(tools, tool.id, operation, args, call) }),
      };
    },
  };
}

async function callApi(
  { allowedHosts, readSecrets }: RestTools,
  toolId: string,
  operation: RestOperation,
  args: JsonObject,
  { orgId, signal }: OutsideCall,
): Promise<JsonValue> {
  const { method, credentials, timeoutMs } = operation;
  const secrets = credentials.length > 0 ? await readSecrets(orgId, toolId) : {};
  const { url, headers, body } = buildRequest(operation, args, secrets);
  const answer = await guardedFetch(url, {
    method,
    headers: { "user-agent": `Memoir/${version}`, ...headers },
    ...(body === undefined ? {} : { body }),
    allowedHosts,
    maxBytes: longestAnswer,
    timeoutMs,
    signal,
  });
  return showAnswer(operation, answer, Object.values(secrets));
}

const longestReason = 2_000;

function showAnswer({ method }: RestOperation, answer: GuardedResponse, secrets: readonly string[]): JsonValue {
  const { url, status, statusText, isCut } = answer;
  const text = hide(readText(answer), secrets);
  const head = `${status} ${statusText}`.trim();
  if (status < 200 || status > 299) {
    const place = `${method} ${url.origin}${url.pathname}`;
    throw new ToolFailure(`${place} answered ${head}${text === "" ? "" : `: ${text.slice(0, longestReason)}`}`);
  }
  if (text === "") return `Done: ${head}.`;
  if (isCut) return `${text}\n(The answer is longer; the rest was not read.)`;
  return readJson(text) ?? text;
}

function readText({ body, mediaType, charset }: GuardedResponse): string {
  if (body.length === 0) return "";
  if (!isText(mediaType) && body.includes(0)) return `(${body.length} bytes of ${mediaType || "no known kind"})`;
  try {
    return new TextDecoder(charset ?? "utf-8").decode(body);
  } catch {
    return body.toString();
  }
}

const isText = (mediaType: string): boolean => /^text\/|[/+](json|xml|yaml|javascript|x-ndjson)$/.test(mediaType);

/** What is nested so deeply that it could not be written again stays a text. */
function readJson(text: string): JsonValue | undefined {
  const value = parseJson(text);
  return value !== undefined && isWithin(value, deepest) ? value : undefined;
}

const deepest = 128;

function isWithin(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isWithin(item ?? null, levels - 1));
}

/** Some APIs say back what they were sent. */
function hide(text: string, secrets: readonly string[]): string {
  const values = secrets.flatMap((secret) => [secret, secret.replace(/^(Bearer|Basic|Token) /i, "")]);
  return values
    .filter((value) => value.length >= 6)
    .reduce((shown, value) => shown.replaceAll(value, "[secret]"), text);
}
