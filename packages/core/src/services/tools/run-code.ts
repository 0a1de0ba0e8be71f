/** `run_code` and `run_code_with_tools`: programs that a model writes, run in the sandbox that tools run in. */
import { randomBytes } from "node:crypto";
import type { Runtime } from "../../runtime.ts";
import { nodeProgram } from "../../sandbox/programs/node-program.ts";
import { pythonProgram } from "../../sandbox/programs/python-program.ts";
import type { Sandbox, SandboxJob, SandboxResult, ServerSession, SessionRequest } from "../../sandbox/sandbox.ts";
import { stripTypes } from "../../sandbox/strip-types.ts";
import { MemoirError } from "../../shared/errors.ts";
import { FairQueue } from "../../shared/fair-queue.ts";
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import { findSandboxConfig } from "../../store/tools/sandbox-configs.ts";
import type { Tool } from "../../store/tools/tools.ts";
import type { Executor, Executors, OutsideCall } from "../../tools/tool.ts";
import { composeEnvironment } from "../sandboxes/tool-environment.ts";
import { createSecretFilter, hideSecrets } from "../secrets/redact-secrets.ts";
import { type CustomToolOptions, defaultTimeoutMs, readHosts } from "./custom-tools.ts";
import { codeTool, type ProgramCalls } from "./rules-for-code.ts";
import { callHeldTool, loadHeldTools } from "./tool-calls-from-code.ts";

export interface CodeTools {
  readonly runtime: Runtime;
  readonly sandbox: Sandbox;
  readonly options: CustomToolOptions;
  /** Of the tools that code may call. */
  readonly executors: () => Executors;
}

const kind = "service";
/** Of tools, by one program. */
const maxCalls = 1_000;
const queueMs = 60_000;

export function createCodeExecutors(tools: CodeTools): Executors {
  const timeoutMs = (tools.options.timeoutMs ?? defaultTimeoutMs) + queueMs;
  // Whoever waits for a tool holds a place that the tool may need: some are always left.
  const queue = new FairQueue({ places: 6, maxPlacesPerOwner: 3 });
  const runs: Readonly<Record<string, (tool: Tool) => Executor["run"]>> = {
    run_code: () => async (args, call) => ({ output: await runCode(tools, args, call) }),
    [codeTool]: (tool) => async (args, call) => {
      const leave = await queue.enter(call.orgId, call.signal);
      try {
        return { output: await runWithTools(tools, tool, String(args.code), call) };
      } finally {
        leave();
      }
    },
  };
  return {
    find(tool) {
      const run = tool.kind === kind && Object.hasOwn(runs, tool.name) ? runs[tool.name] : undefined;
      return run && { effect: "unsafe", timeoutMs, run: run(tool) };
    },
  };
}

type Program = Pick<SandboxJob, "language" | "source" | "args" | "order">;

async function runCode(tools: CodeTools, args: JsonObject, call: OutsideCall): Promise<JsonValue> {
  const code = String(args.code);
  const program = await readProgram(code, String(args.language), call.orgId);
  if ("error" in program) return { results: [], logs: { stdout: [], stderr: [] }, error: program.error };
  const result = await runProgram(tools, program, call, {});
  const logs = { stdout: [...result.stdout], stderr: [...result.stderr] };
  const { shown, error } = readEnding(result);
  return { results: shown === null ? [] : [shown], logs, ...(error ? { error } : {}) };
}

interface ProgramError extends JsonObject {
  readonly name: string;
  readonly value: string;
  readonly traceback: string;
}

async function readProgram(
  code: string,
  language: string,
  owner: string,
): Promise<Program | { readonly error: ProgramError }> {
  if (language === "python") return composePython(code, []);
  if (language !== "js" && language !== "ts") {
    throw new ToolFailure(`This server does not run ${language}. Write the program in python, js or ts.`);
  }
  try {
    const script = language === "ts" ? await stripTypes(code, owner) : code;
    return { language: "typescript", source: nodeProgram, args: { code: script }, order: ["code"] };
  } catch (error) {
    const value = error instanceof Error ? error.message.trim() : String(error);
    return { error: { name: "SyntaxError", value, traceback: `SyntaxError: ${value}` } };
  }
}

function composePython(code: string, tools: readonly string[]): Program {
  return { language: "python", source: pythonProgram, args: { code, tools: [...tools] } };
}

async function runProgram(
  { runtime, sandbox, options }: CodeTools,
  program: Program,
  { orgId, signal }: OutsideCall,
  more: Partial<Pick<SandboxJob, "session" | "environment">>,
): Promise<SandboxResult> {
  const fault = await sandbox.findFault();
  if (fault !== undefined) throw new MemoirError("forbidden", fault);
  const config = await findSandboxConfig(runtime.store.read(orgId), "local");
  return await sandbox.run({
    orgId,
    ...program,
    name: "run_program",
    environment: {},
    hosts: readHosts(config?.settings),
    ...more,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    signal,
  });
}

interface Ending {
  readonly value: JsonValue;
  readonly shown: string | null;
  readonly error?: ProgramError;
}

/** A program that ends itself has no result, and need not have failed. */
const quietEnd = "it ended without a result (exit code 0)";

function readEnding(result: SandboxResult): Ending {
  if (result.status === "error") {
    if (result.message === quietEnd) return { value: null, shown: null };
    const { type: name, message: value } = result;
    return { value: null, shown: null, error: { name, value, traceback: `${name}: ${value}` } };
  }
  const { value, shown, error } = result.value as JsonObject;
  if (error) return { value: null, shown: null, error: error as unknown as ProgramError };
  return { value: value ?? null, shown: typeof shown === "string" ? shown : null };
}

async function runWithTools(tools: CodeTools, tool: Tool, code: string, call: OutsideCall): Promise<JsonValue> {
  const { runtime, options } = tools;
  const { agent, callable } = await loadHeldTools(runtime, call);
  const scope = runtime.store.read(call.orgId);
  const config = await findSandboxConfig(scope, "local");
  const { variables, secrets } = await composeEnvironment(runtime, scope, options, {
    config,
    identity: {
      orgId: call.orgId,
      userId: call.userId,
      toolId: tool.id,
      toolName: tool.name,
      agentId: agent.id,
      projectId: agent.projectId,
    },
    signal: call.signal,
  });
  const ending = new AbortController();
  const signal = AbortSignal.any([call.signal, ending.signal]);
  const hide = createSecretFilter(secrets);
  const program: ProgramCalls = { called: [], lastOutput: undefined, hide, writing: new Set() };
  const session = openSession(tools, { ...call, signal }, program);
  const names = callable.map(({ name }) => name).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  try {
    const ran = await runProgram(tools, composePython(code, names), call, { session, environment: variables });
    return describeRun(hideSecrets(ran, hide));
  } finally {
    ending.abort(new MemoirError("tool-failed", "the program has ended"));
    await Promise.allSettled(program.writing);
  }
}

function describeRun(result: SandboxResult): JsonObject {
  const { value, error } = readEnding(result);
  const stderr = [...result.stderr, ...(error ? [error.traceback] : [])];
  const printed = { stdout: [...result.stdout], stderr };
  return error
    ? { status: "error", func_return: `${error.name}: ${error.value}`, ...printed }
    : { status: "success", func_return: value, ...printed };
}

/** The only thing to be had behind it is a call of one of the agent's tools. */
function openSession({ runtime, executors }: CodeTools, call: OutsideCall, program: ProgramCalls): ServerSession {
  const key = randomBytes(24).toString("base64url");
  let calls = 0;
  const answer = (status: number, body: JsonObject) => ({
    status,
    type: "application/json",
    body: JSON.stringify(body),
  });
  return {
    key,
    handle: async ({ headers, body }: SessionRequest) => {
      if (headers.authorization !== `Bearer ${key}`) return answer(401, { error: "this is not the key" });
      calls++;
      if (calls > maxCalls) return answer(200, { error: `a program may call tools ${maxCalls} times. Begin another.` });
      try {
        const { tool, args } = JSON.parse(body) as JsonObject;
        const inner = { ...call, key: `${call.key}/${calls}` };
        const value = await callHeldTool(runtime, executors(), inner, program, String(tool), { ...Object(args) });
        return answer(200, { value });
      } catch (error) {
        return answer(200, { error: error instanceof Error ? error.message : String(error) });
      }
    },
  };
}
