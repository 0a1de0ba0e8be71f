/** Runs tools that have a source: gathers what they may know, hands them to the sandbox, keeps what they changed. */
import type { Runtime } from "../../runtime.ts";
import type { SandboxResult, ServerSession } from "../../sandbox/sandbox.ts";
import { isMemoirError } from "../../shared/errors.ts";
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import { ToolFailure, type ToolPrint } from "../../shared/tool-failure.ts";
import { getAgent } from "../../store/agents/agents.ts";
import type { BlockCause } from "../../store/blocks/block-versions.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { showOutput } from "../../tools/output.ts";
import type { Executors, ToolEffect, ToolOutcome } from "../../tools/tool.ts";
import {
  composeEnvironment,
  type EnvironmentOptions,
  type ToolIdentity,
  type Variables,
} from "../sandboxes/tool-environment.ts";
import { languageOf, type ToolSandboxes } from "../sandboxes/tool-sandboxes.ts";
import { createSecretFilter, type HideValue, hideInValue, hideSecrets } from "../secrets/redact-secrets.ts";
import {
  type ComposeAgentState,
  keepChanges,
  plainAgentState,
  readToolMemory,
  type ToolMemory,
} from "./tool-memory.ts";
import { customToolKind } from "./tool-rows.ts";

export interface CustomToolOptions extends EnvironmentOptions {
  /** After so long a call is ended; three minutes unless given. */
  readonly timeoutMs?: number;
  readonly composeAgentState?: ComposeAgentState;
  /**
   * Opens a way for a tool to ask the server about its agent; undefined for tools that do not need one. What a tool has
   * the server keep is to go through `hide` first.
   */
  readonly openSession?: (source: string, identity: ToolIdentity, hide: HideValue) => ToolSession | undefined;
}

export interface ToolSession extends ServerSession {
  /** By which tools find it. */
  readonly variables: Variables;
  close(): void;
}

export type RunnableTool = Pick<Tool, "name" | "sourceKind" | "jsonSchema" | "argsSchema" | "metadata" | "projectId"> &
  Partial<Pick<Tool, "pipRequirements" | "npmRequirements">> & {
    /** None for a source that is not stored. */
    readonly id?: string;
    readonly source: string;
    /** The function, where it is not called as the tool is. */
    readonly functionName?: string;
  };

export interface CustomCall {
  readonly orgId: string;
  readonly cause: BlockCause;
  readonly agent?: { readonly id: string; readonly conversationId: string };
  /** Over all others but the names of tool and agent. */
  readonly variables?: Variables;
  readonly signal?: AbortSignal;
}

/** How a call by hand went; `sandbox` names the settings it ran under. */
export type ToolCallResult = ToolPrint & { readonly sandbox?: string } & (
    | { readonly status: "success"; readonly output: JsonValue }
    | { readonly status: "error"; readonly error: string }
  );

export interface CustomTools {
  readonly executors: Executors;
  /** Throws a ToolFailure when the tool fails, and another MemoirError when it cannot be run at all. */
  run(tool: RunnableTool, args: JsonObject, call: CustomCall): Promise<ToolOutcome>;
}

export const defaultTimeoutMs = 180_000;
/** How long a call may wait for its turn, on top. */
const queueMs = 60_000;

export function createCustomTools(runtime: Runtime, sandboxes: ToolSandboxes, options: CustomToolOptions): CustomTools {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const run: CustomTools["run"] = async (tool, args, call) => {
    const place = await sandboxes.find(call.orgId, tool);
    const packages = await sandboxes.obtainPackages(call.orgId, tool, place);
    const { sandbox, config } = place;
    const scope = runtime.store.read(call.orgId);
    const memory = await readMemory(runtime, options, tool, call);
    const identity = identify(tool, call);
    const { variables, secrets } = await composeEnvironment(runtime, scope, options, {
      ...{ config, identity },
      ...(call.variables ? { extra: call.variables } : {}),
      ...(call.signal ? { signal: call.signal } : {}),
    });
    const hide = createSecretFilter(secrets);
    const session = options.openSession?.(tool.source, identity, (value) => hideInValue(value, hide));
    const ran = await sandbox
      .run({
        ...describeJob(tool, args, call),
        hosts: [...readHosts(tool.metadata), ...readHosts(config?.settings)],
        environment: { ...variables, ...session?.variables },
        ...(call.agent ? { agent: { id: call.agent.id, ...(memory ? { state: memory.state } : {}) } } : {}),
        ...(session ? { session } : {}),
        ...(packages === undefined ? {} : { packages }),
        timeoutMs,
      })
      .finally(() => session?.close());
    const result = hideSecrets(ran, hide);
    const outcome = toOutcome(tool.name, result);
    await saveChanges(runtime, call, memory, result);
    return outcome;
  };
  const executors: Executors = {
    find(tool) {
      const { source } = tool;
      if (tool.kind !== customToolKind || source === null) return undefined;
      return {
        effect: effectOf(tool),
        timeoutMs: timeoutMs + queueMs,
        run: (args, { orgId, userId, agentId, conversationId, runId, stepId, callId, key, signal }) =>
          run({ ...tool, source }, args, {
            orgId,
            cause: { kind: "tool", userId, agentId, runId, stepId, toolCallId: callId },
            agent: { id: agentId, conversationId },
            ...(effectOf(tool) === "keyed" ? { variables: { MEMOIR_CALL_KEY: key } } : {}),
            signal,
          }),
      };
    },
  };
  return { executors, run };
}

function identify(tool: RunnableTool, { orgId, cause, agent }: CustomCall): ToolIdentity {
  const { id: toolId, name: toolName, projectId } = tool;
  return { orgId, userId: cause.userId, toolId, toolName, agentId: agent?.id, projectId };
}

function describeJob(tool: RunnableTool, args: JsonObject, { orgId, signal }: CustomCall) {
  return {
    orgId,
    language: languageOf(tool),
    source: tool.source,
    name: tool.functionName ?? tool.name,
    args,
    order: orderOf(tool.jsonSchema),
    ...(tool.argsSchema ? { argsSchema: tool.argsSchema } : {}),
    ...(signal ? { signal } : {}),
  };
}

const effects: ReadonlySet<JsonValue> = new Set(["read", "idempotent", "keyed", "unsafe"]);

/** Foreign code may do anything, unless its maker says what it does. */
function effectOf({ metadata }: Pick<Tool, "metadata">): ToolEffect {
  const said = metadata?.effect ?? "unsafe";
  return effects.has(said) ? (said as ToolEffect) : "unsafe";
}

/** A tool's maker, or the organization, may name hosts that it can reach. */
export function readHosts(settings: JsonObject | null | undefined): string[] {
  const { allowed_hosts: hosts } = settings ?? {};
  return Array.isArray(hosts) ? hosts.filter((host: JsonValue): host is string => typeof host === "string") : [];
}

/** First those that must be given, then the others, each as the schema has them. */
function orderOf(schema: JsonObject | null): string[] {
  const parameters = (schema?.parameters ?? {}) as JsonObject;
  const required = (Array.isArray(parameters.required) ? parameters.required : []) as string[];
  const names = Object.keys((parameters.properties ?? {}) as JsonObject);
  return [...required, ...names.filter((name) => !required.includes(name))];
}

/** Read only for tools that may ask for it. */
async function readMemory(
  runtime: Runtime,
  { composeAgentState = plainAgentState }: CustomToolOptions,
  tool: RunnableTool,
  { orgId, agent }: CustomCall,
): Promise<ToolMemory | undefined> {
  if (!agent || !/\bagent_state\b/.test(tool.source)) return undefined;
  const place = { agentId: agent.id, conversationId: agent.conversationId };
  return await readToolMemory(runtime, runtime.store.read(orgId), place, composeAgentState);
}

async function saveChanges(
  runtime: Runtime,
  { orgId, agent, cause }: CustomCall,
  memory: ToolMemory | undefined,
  result: SandboxResult,
): Promise<void> {
  if (result.status === "error" || result.changes.length === 0 || !memory || !agent) return;
  const { changes } = result;
  await runtime.store.write(orgId, async (scope) => {
    const { timezone } = await getAgent(scope, agent.id);
    const context = { agentId: agent.id, conversationId: agent.conversationId, timezone, cause };
    await keepChanges(scope, context, memory, changes);
  });
}

/** What a failing tool says is a result; that nothing could be run is not. */
export async function showOutcome(
  name: string,
  charLimit: number,
  work: () => Promise<ToolOutcome>,
): Promise<ToolCallResult> {
  try {
    const { output, ...print } = await work();
    return { status: "success", output: showResult(name, output, charLimit), ...print };
  } catch (error) {
    if (!isMemoirError(error, "tool-failed")) throw error;
    return { status: "error", error: error.message, ...(error instanceof ToolFailure ? error.print : {}) };
  }
}

/** Objects stay objects while they are short; everything else is shown as an agent would see it. */
export function showResult(name: string, output: JsonValue, charLimit: number): JsonValue {
  const isObject = typeof output === "object" && output !== null && !Array.isArray(output);
  return isObject && JSON.stringify(output).length <= charLimit ? output : showOutput(name, output, charLimit);
}

const longestError = 1_000;

function toOutcome(name: string, result: SandboxResult): ToolOutcome {
  const print = { stdout: result.stdout, stderr: result.stderr };
  if (result.status === "success") return { output: result.value, ...print };
  const text = `Error executing function ${name}: ${result.type}: ${result.message}`;
  throw new ToolFailure(text.slice(0, longestError), print);
}
