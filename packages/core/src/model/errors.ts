/**
 * What went wrong at a provider, in our words. Providers agree on little: the same fault comes as a status, a code in
 * the body, an event in a stream or a sentence. Errors of provider packages are read by their fields, not their class,
 * so this file needs none of the packages. They are not kept as causes: they hold whole prompts.
 */
import { type ErrorCode, type ErrorDetails, MemoirError } from "../shared/errors.ts";

export interface ModelErrorDetails extends ErrorDetails {
  readonly provider: string;
  readonly model: string;
  readonly isRetryable: boolean;
  /** Null: there was no answer, or the stream broke. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
}

export interface ModelErrorContext {
  readonly provider: string;
  readonly model: string;
  /** Removed from every text that is kept. */
  readonly secrets?: readonly string[];
  /** Milliseconds since 1970; for a `retry-after` that names a moment. */
  readonly now?: () => number;
}

/** True for failures that may pass if the same request is made again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof MemoirError && error.details.isRetryable === true;
}

/** A MemoirError for whatever a provider package, its stream or fetch threw. Ours pass unchanged. */
export function toModelError(error: unknown, context: ModelErrorContext): MemoirError {
  if (error instanceof MemoirError) return error;
  const failure = readFailure(error);
  // It had begun to answer.
  if (failure.status !== null && failure.status < 400 && !isTimeout(failure.network)) return cutStream(context, error);
  const code = classify(failure);
  const said = redact(shorten(failure.text), context.secrets);
  return createModelError(code, describe(failure, said, context.provider), context, {
    status: failure.status,
    retryAfterMs: readRetryAfter(failure.headers, context.now ?? Date.now) ?? readRetryDelay(failure.evidence),
    isRetryable: mayPass(code, failure),
    cause: failure.network,
  });
}

export function cutStream(context: ModelErrorContext, error?: unknown): MemoirError {
  return createModelError("llm-error", `${context.provider} broke off in the middle of its reply`, context, {
    isRetryable: true,
    cause: findNetworkError(error),
  });
}

export function createModelError(
  code: ErrorCode,
  message: string,
  { provider, model }: ModelErrorContext,
  rest: { status?: number | null; retryAfterMs?: number | null; isRetryable?: boolean; cause?: unknown } = {},
): MemoirError {
  const { status = null, retryAfterMs = null, isRetryable = false, cause } = rest;
  const details: ModelErrorDetails = { provider, model, isRetryable, status, retryAfterMs };
  return new MemoirError(code, message, { details, cause });
}

interface Failure {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, unknown>>;
  /** What the provider said, for people. */
  readonly text: string;
  /** All that may tell one fault from another. */
  readonly evidence: string;
  readonly name: string;
  readonly network: Error | undefined;
}

function readFailure(error: unknown): Failure {
  const fields = toRecord(error);
  const message = typeof fields.message === "string" ? fields.message : String(error);
  const body = typeof fields.responseBody === "string" ? fields.responseBody : "";
  const data = fields.data === undefined ? "" : (JSON.stringify(fields.data) ?? "");
  const isPage = /^\s*</.test(body);
  const text = message || (isPage ? "" : body);
  const marks = [fields.type, fields.code].filter((mark) => typeof mark === "string").join(" ");
  return {
    status: typeof fields.statusCode === "number" ? fields.statusCode : null,
    headers: toRecord(fields.responseHeaders),
    text: text.trim(),
    evidence: `${message} ${marks} ${isPage ? "" : body} ${data}`,
    name: typeof fields.name === "string" ? fields.name : "",
    network: findNetworkError(error),
  };
}

/** Each line is somebody's way of saying it. */
const overflow = [
  /context_length_exceeded|model_context_window_exceeded|request_too_large/i,
  /maximum context length|exceeds? the (model's )?(context|available context)|context window (of|is|exceed(s|ed)|limit)/i,
  /prompt (is )?too long|input is too long|too many (input )?tokens in the (prompt|request)/i,
  /exceed(s|ed)? (the |max )?(context (limit|size|length|window)|maximum number of (input )?tokens|configured limit of)/i,
  /(context|token) (size|limit|length) (has been |was )?exceeded|larger than the (maximum )?context/i,
  /maximum prompt length|prompt exceeds max|longer than the (maximum model|model's context) length/i,
  /context the overflows|context overflows|context length of only|greater than the context length/i,
  /reduce the length of the (messages|prompt|input)|must have less than \d+ tokens|tokens \+ .?max_new_tokens.? must be/i,
];

const outOfCredits =
  /insufficient_quota|insufficient (credits|funds|balance)|credit balance is too low|billing_error|used all available credits|credit limit exceeded/i;

/** Where a wrong key is not answered with 401. */
const wrongKey =
  /API_KEY_INVALID|API key not valid|security token included in the request is (invalid|expired)|signature we calculated does not match/i;

function classify({ status, evidence, name, network }: Failure): ErrorCode {
  if (isTimeout(network) || name === "TimeoutError") return "llm-timeout";
  if (status !== null && status < 500 && wrongKey.test(evidence)) return "llm-authentication";
  if (status === 402 || outOfCredits.test(evidence)) return "llm-insufficient-credits";
  if (status === 413 || (isRefusal(status) && overflow.some((text) => text.test(evidence)))) {
    return "llm-context-exceeded";
  }
  if (/overloaded_error/.test(evidence)) return "llm-overloaded";
  switch (status) {
    case null:
      return /^AI_(Unsupported|InvalidArgument|InvalidPrompt)/.test(name) ? "llm-bad-request" : "llm-error";
    case 401:
      return "llm-authentication";
    case 408:
    case 504:
      return "llm-timeout";
    case 429:
      return "llm-rate-limit";
    case 503:
    case 529:
      return "llm-overloaded";
    case 403:
    case 404:
    case 422:
      return "llm-error";
    default:
      return status >= 400 && status < 500 ? "llm-bad-request" : "llm-error";
  }
}

/** Gateways answer 500 with the text of a refusal inside; a rate limit that speaks of tokens is none. */
function isRefusal(status: number | null): boolean {
  return status !== 401 && status !== 429;
}

function mayPass(code: ErrorCode, { status, evidence }: Failure): boolean {
  switch (code) {
    case "llm-rate-limit":
      // One request beyond the allowance of a whole minute will not fit later either.
      return !/request too large/i.test(evidence);
    case "llm-overloaded":
    case "llm-timeout":
      return true;
    case "llm-error":
      return status === null || status >= 500;
    default:
      return status === 409;
  }
}

function describe({ status, text, network }: Failure, said: string, provider: string): string {
  if (network) {
    // What `fetch` itself says names no address; the connection's own error does.
    const reason = said === "" || /^fetch failed$/i.test(said) ? describeNetwork(network) : said;
    return `${provider} cannot be reached: ${reason}. Check that it runs and that its address is right`;
  }
  if (status === null) return `${provider} failed: ${said || "no reason was given"}`;
  return `${provider} answered ${status}${text ? `: ${said}` : ""}`;
}

/** A name with several addresses fails with an error for each and no message of its own. */
function describeNetwork(network: Error): string {
  const tries = network instanceof AggregateError ? network.errors.map((error) => (error as Error).message) : [];
  return network.message || tries.join(", ") || String(toRecord(network).code);
}

const timeouts = new Set(["ETIMEDOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT"]);

function isTimeout(error: Error | undefined): boolean {
  return error !== undefined && timeouts.has(String(toRecord(error).code));
}

/** The error of the connection itself, which packages wrap once or twice: it has a code such as ECONNREFUSED. */
function findNetworkError(error: unknown): Error | undefined {
  for (let depth = 0, current = error; depth < 5 && current instanceof Error; depth++, current = current.cause) {
    const { code } = toRecord(current);
    if (typeof code === "string" && /^(E[A-Z]{2,}|UND_ERR_)/.test(code)) return current;
  }
  return undefined;
}

/** In milliseconds, however the provider puts it. */
export function readRetryAfter(headers: Readonly<Record<string, unknown>>, now: () => number): number | null {
  const exact = Number.parseFloat(String(headers["retry-after-ms"]));
  if (exact >= 0) return exact;
  const after = headers["retry-after"];
  if (typeof after !== "string") return null;
  if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Number(after) * 1000;
  const moment = Date.parse(after);
  return Number.isNaN(moment) ? null : Math.max(0, moment - now());
}

/** Google says it in the body. */
function readRetryDelay(body: string): number | null {
  const [, seconds] = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body) ?? [];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

const longest = 2_000;

function shorten(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

/** Keys as vendors write them, in full or with their middle starred out, and what follows "Bearer". */
const keys = /\b(?:sk|pk|rk|gsk|xai)[-_][\w*-]+|\bAIza[\w-]{10,}|(?<=\bBearer\s)[\w.~+/=-]{8,}/gi;
/** Tells a key from a word such as "pk-fk-id". */
const keyPart = /[\w*]{6}/;

export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, "***");
  return clean.replaceAll(keys, (found) => (keyPart.test(found) ? "***" : found));
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
