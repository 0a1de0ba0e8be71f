// Asks the server what is running. It never throws: each way of not getting an answer is a screen of its own.

export interface ProviderStatus {
  name: string;
  /** As people call it. */
  title: string;
  found: boolean;
  /** Found: what was found. Not found: one line on how to add it. */
  detail: string;
}

export interface ServerStatus {
  version: string;
  compatible_with: string;
  started_at: string;
  database: { kind: "sqlite" | "postgres" /** Null for keys that are not an owner's. */; location: string | null };
  providers: ProviderStatus[];
  counts: { agents: number; blocks: number };
}

export type StatusAnswer =
  | { kind: "ready"; status: ServerStatus }
  /** The server is in password mode. `refused`: a password was sent and it was wrong. */
  | { kind: "locked"; refused: boolean }
  | { kind: "unreachable" }
  | { kind: "failed"; reason: string };

export interface StatusRequest {
  fetch: typeof fetch;
  password?: string | undefined;
  signal?: AbortSignal;
}

const path = "/v1/memoir/status";
const timeoutMs = 10_000;

export async function fetchStatus({ fetch, password, signal }: StatusRequest): Promise<StatusAnswer> {
  const headers = writeHeaders(password);
  if (!headers) return { kind: "locked", refused: true };
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(path, { headers, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    return await readAnswer(response, password !== undefined);
  } catch {
    return { kind: "unreachable" };
  }
}

/** Undefined when the password cannot be written in a header, so it cannot be the right one either. */
function writeHeaders(password: string | undefined): Headers | undefined {
  const headers = new Headers({ accept: "application/json" });
  try {
    if (password !== undefined) headers.set("authorization", `Bearer ${password}`);
    return headers;
  } catch {
    return undefined;
  }
}

async function readAnswer(response: Response, hadPassword: boolean): Promise<StatusAnswer> {
  if (response.status === 401) return { kind: "locked", refused: hadPassword };
  const body = parseJson(await response.text());
  if (!response.ok) return { kind: "failed", reason: describeFailure(response.status, body) };
  if (!isServerStatus(body)) return { kind: "failed", reason: `${path} did not answer with a Memoir status.` };
  return { kind: "ready", status: body };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeFailure(status: number, body: unknown): string {
  const detail = isRecord(body) && typeof body.detail === "string" ? `: ${body.detail}` : "";
  return `${path} answered ${status}${detail}`;
}

function isServerStatus(value: unknown): value is ServerStatus {
  return (
    isRecord(value) &&
    hasStrings(value, "version", "compatible_with", "started_at") &&
    isRecord(value.database) &&
    hasStrings(value.database, "kind") &&
    (value.database.location === null || hasStrings(value.database, "location")) &&
    Array.isArray(value.providers) &&
    value.providers.every(isProviderStatus) &&
    isRecord(value.counts) &&
    typeof value.counts.agents === "number" &&
    typeof value.counts.blocks === "number"
  );
}

function isProviderStatus(value: unknown): value is ProviderStatus {
  return isRecord(value) && typeof value.found === "boolean" && hasStrings(value, "name", "title", "detail");
}

function hasStrings(value: Record<string, unknown>, ...keys: string[]): boolean {
  return keys.every((key) => typeof value[key] === "string");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
