/** Calls of an agent's tools that its own code makes: they are held to the same permissions as calls of its model. */
import type { Runtime } from "../../runtime.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import { exitTools } from "../../shared/kind-traits.ts";
import { isPermitted } from "../../shared/tool-permissions.ts";
import { type Agent, getAgent } from "../../store/agents/agents.ts";
import { listAgentTools, type Tool } from "../../store/tools/tools.ts";
import { withThreads } from "../../threads/threads.ts";
import { checkArguments } from "../../tools/arguments.ts";
import { builtinExecutors } from "../../tools/builtin/list.ts";
import { fitArguments } from "../../tools/fit-arguments.ts";
import { showOutput } from "../../tools/output.ts";
import { ownArguments, parametersOf } from "../../tools/parameters.ts";
import { describeForbidden } from "../../tools/permitted-tools.ts";
import { isCounted, isExit, needsApproval } from "../../tools/rules.ts";
import type { Executors, OutsideCall } from "../../tools/tool.ts";
import { hideInValue } from "../secrets/redact-secrets.ts";
import { admitCall, codeTool, noteCalled, type ProgramCalls } from "./rules-for-code.ts";

export interface HeldTools {
  readonly agent: Agent;
  /** Those that code may call. */
  readonly callable: readonly Tool[];
}

export async function loadHeldTools({ store }: Runtime, { orgId, agentId }: OutsideCall): Promise<HeldTools> {
  const scope = store.read(orgId);
  const agent = await getAgent(scope, agentId);
  const held = await listAgentTools(scope, agentId);
  return { agent, callable: held.filter((tool) => findRefusal(agent, tool) === undefined) };
}

function findRefusal(agent: Agent, tool: Tool): string | undefined {
  const { name } = tool;
  if (!isPermitted(agent.toolPermissions, tool)) return describeForbidden(name);
  if (needsApproval(agent.toolRules, name)) {
    return `${name} waits for someone's approval and cannot be called from code. Nothing was done. Call it directly.`;
  }
  // The tool that runs code may not run more of it.
  if (name === codeTool || exitTools.has(name) || isExit(agent.toolRules, name)) {
    return `${name} cannot be called from code. Nothing was done. Call it directly.`;
  }
  return undefined;
}

/** Looks everything up again: what was allowed when the program began may not be any more. */
export async function callHeldTool(
  runtime: Runtime,
  executors: Executors,
  call: OutsideCall,
  program: ProgramCalls,
  name: string,
  input: JsonObject,
): Promise<JsonValue> {
  const scope = runtime.store.read(call.orgId);
  const agent = await getAgent(scope, call.agentId);
  const held = await listAgentTools(scope, agent.id);
  const tool = held.find((each) => each.name === name);
  const refusal = tool ? findRefusal(agent, tool) : `there is no tool ${name} among the tools of this agent.`;
  if (!tool || refusal !== undefined) throw new MemoirError("tool-failed", refusal ?? "");
  const parameters = parametersOf(tool);
  const names = held.map((each) => each.name);
  const filledIn = admitCall(agent.toolRules, names, call.called, program, name);
  const args = { ...fitArguments(parameters, ownArguments(input)), ...filledIn };
  await withThreads(call.orgId, () => checkArguments(name, parameters, args));
  const tell = noteCalled(program, name);
  if (isCounted(agent.toolRules, name)) await call.noteCall?.(name);
  // The builtin ones write into the agent's memory, and a secret has no place there.
  const shown = builtinExecutors.has(name) ? (hideInValue(args, program.hide) as JsonObject) : args;
  const work = () => runHeldTool(runtime, executors, call, agent, tool, shown, program);
  const output = await runtime.telemetry.runTool(tool, call.callId, work);
  tell(showOutput(name, output, tool.returnCharLimit));
  return output;
}

async function runHeldTool(
  runtime: Runtime,
  executors: Executors,
  call: OutsideCall,
  agent: Agent,
  tool: Tool,
  args: JsonObject,
  { writing }: ProgramCalls,
): Promise<JsonValue> {
  // It may have ended while this was looked up.
  call.signal.throwIfAborted();
  const { name } = tool;
  const builtin = builtinExecutors.get(name);
  const executor = executors.find(tool);
  if (executor) return (await executor.run(args, call)).output;
  if (!builtin)
    throw new MemoirError("tool-failed", `${name} cannot be called from code: this server does not run it.`);
  const { orgId, userId, agentId, conversationId, runId, stepId, callId } = call;
  const cause = { kind: "tool", userId, agentId, runId, stepId, toolCallId: callId } as const;
  const context = { agentId, conversationId, timezone: agent.timezone, cause };
  const written = runtime.store.write(orgId, async (transaction) => {
    call.signal.throwIfAborted();
    return await builtin(transaction, args, context);
  });
  writing.add(written);
  return await written.finally(() => writing.delete(written));
}
