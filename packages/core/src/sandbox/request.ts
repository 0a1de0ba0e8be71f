/** Builds the request to an interpreter and parses its answer. */
import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from "../shared/json.ts";
import { cleanText } from "./bounded-text.ts";
import type { Ending } from "./interpreter-process.ts";
import { type BlockChange, type SandboxJob, type SandboxResult, sessionAddress } from "./sandbox.ts";
import { stripTypes } from "./strip-types.ts";

/** The request; a string is the reason why the source cannot be parsed. */
export async function readRequest(job: SandboxJob): Promise<object | string> {
  try {
    return await toRequest(job);
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

export function failToRead(message: string): SandboxResult {
  return { status: "error", type: "SyntaxError", message, stdout: [], stderr: [`SyntaxError: ${message}\n`] };
}

async function toRequest(job: SandboxJob): Promise<JsonObject> {
  const { language, source, name, args, environment } = job;
  if (language === "typescript") {
    const exported = `run_${name}`;
    const isNamed = /^[A-Za-z_$][\w$]*$/.test(name) && source.includes(name);
    // The function is called by its name even if it is not exported.
    const handle = isNamed ? `\n;export { ${name} as ${exported} };\n` : "";
    const values = orderValues(job);
    const stripped = await stripTypes(source, job.orgId);
    return { name, exported, source: stripped + handle, values, environment, session: toSession(job) };
  }
  return {
    name,
    source,
    args,
    environment,
    session: toSession(job),
    argsSchema: job.argsSchema ?? null,
    agent: job.agent ? { id: job.agent.id, state: job.agent.state ?? null } : null,
  };
}

function toSession({ session }: SandboxJob): JsonObject | null {
  if (!session) return null;
  const { library } = session;
  return {
    base: sessionAddress,
    key: session.key,
    library: library ? { module: library.module, name: library.name } : null,
  };
}

/** Positional arguments: in the order of the schema, then any others; gaps are preserved. */
function orderValues({ args, order = [] }: SandboxJob): JsonValue[] {
  const names = [...order, ...Object.keys(args).filter((name) => !order.includes(name))];
  const last = names.findLastIndex((name) => Object.hasOwn(args, name));
  // JSON has no undefined; the runner restores it.
  return names.slice(0, last + 1).map((name) => (Object.hasOwn(args, name) ? [args[name] ?? null] : []));
}

export function toResult(job: SandboxJob, ending: Ending): SandboxResult {
  const printed = { stdout: ending.stdout, stderr: ending.stderr };
  const fail = (type: string, message: string): SandboxResult => ({ status: "error", type, message, ...printed });
  switch (ending.kind) {
    case "late":
      return fail("TimeoutError", `it took longer than ${job.timeoutMs / 1000} seconds and was ended`);
    case "flood":
      return fail("ValueError", "it returned more than fits; return a part of it, or a summary");
    case "silence":
      return fail(...readLastError(ending.stderr.join("\n"), ending.exit));
    case "answer":
      return readAnswer(job, ending.text, printed, fail);
  }
}

/** A process that ended without an answer may have printed the reason. */
function readLastError(stderr: string, exit: string): [type: string, message: string] {
  const lines = stderr.trim().split("\n").slice(-3);
  const found = lines.map((line) => line.match(/^(\w*(?:Error|Exception)): (.*)$/)).findLast((match) => match !== null);
  return [found?.[1] ?? "RuntimeError", found?.[2] ?? `it ended without a result (${exit})`];
}

function readAnswer(
  job: SandboxJob,
  text: string,
  printed: Pick<Ending, "stdout" | "stderr">,
  fail: (type: string, message: string) => SandboxResult,
): SandboxResult {
  const answer = parseJsonObject(text) ?? {};
  const { error } = answer;
  if (isJsonObject(error)) return fail(cleanText(String(error.type)), cleanText(String(error.message)));
  if (!Object.hasOwn(answer, "value")) return fail("ValueError", "its result could not be read");
  const changes = job.agent?.state === undefined ? [] : readChanges(answer.changes);
  return { status: "success", value: cleanValue(answer.value ?? null, 0), changes, ...printed };
}

/** One for each label, however many the tool made up: each of them costs the database something. */
function readChanges(changes: JsonValue | undefined): BlockChange[] {
  if (!Array.isArray(changes)) return [];
  const values = new Map<string, string>();
  for (const change of changes as JsonValue[]) {
    if (!isJsonObject(change) || typeof change.label !== "string" || typeof change.value !== "string") continue;
    values.set(change.label, cleanText(change.value));
  }
  return [...values].map(([label, value]) => ({ label, value }));
}

const deepest = 128;

function cleanValue(value: JsonValue, depth: number): JsonValue {
  if (typeof value === "string") return cleanText(value);
  if (depth > deepest) return null;
  if (Array.isArray(value)) return value.map((item: JsonValue) => cleanValue(item, depth + 1));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [cleanText(key), cleanValue(item, depth + 1)] as const);
  return Object.fromEntries(entries);
}
