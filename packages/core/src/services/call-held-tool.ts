/** Calls of an agent's tools that its own code makes: they are held to the same permissions as calls of its model. */
import { MemoirError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { exitTools } from "../loop/kinds.ts";
import type { Runtime } from "../runtime.ts";
import { type Agent, getAgent } from "../store/agents.ts";
import { loadAgentTools, type Tool } from "../store/tools.ts";
import { isPermitted } from "../tool-permissions.ts";
import { checkArguments } from "../tools/arguments.ts";
import { builtinExecutors } from "../tools/builtin/list.ts";
import { fitArguments } from "../tools/fit-arguments.ts";
import { describeForbidden } from "../tools/permitted-tools.ts";
import { needsApproval } from "../tools/rules.ts";
import type { Executors, OutsideCall } from "../tools/tool.ts";

export interface HeldTools {
  readonly agent: Agent;
  /** Those that code may call. */
  readonly callable: readonly Tool[];
}

/** The tool that runs code may not run more of it. */
export const codeTool = "run_code_with_tools";

export async function loadHeldTools({ store }: Runtime, { orgId, agentId }: OutsideCall): Promise<HeldTools> {
  const scope = store.read(orgId);
  const agent = await getAgent(scope, agentId);
  const held = (await loadAgentTools(scope, [agentId])).get(agentId) ?? [];
  return { agent, callable: held.filter((tool) => findRefusal(agent, tool) === undefined) };
}

function findRefusal(agent: Agent, tool: Tool): string | undefined {
  const { name } = tool;
  if (!isPermitted(agent.toolPermissions, tool)) return describeForbidden(name);
  if (needsApproval(agent.toolRules, name)) {
    return `${name} waits for someone's approval and cannot be called from code. Nothing was done. Call it directly.`;
  }
  if (name === codeTool || exitTools.has(name)) {
    return `${name} cannot be called from code. Nothing was done. Call it directly.`;
  }
  return undefined;
}

/** Looks everything up again: what was allowed when the program began may not be any more. */
export async function callHeldTool(
  runtime: Runtime,
  executors: Executors,
  call: OutsideCall,
  name: string,
  given: JsonObject,
): Promise<JsonValue> {
  const scope = runtime.store.read(call.orgId);
  const agent = await getAgent(scope, call.agentId);
  const tool = (await loadAgentTools(scope, [agent.id])).get(agent.id)?.find((each) => each.name === name);
  const refusal = tool ? findRefusal(agent, tool) : `there is no tool ${name} among the tools of this agent.`;
  if (!tool || refusal !== undefined) throw new MemoirError("tool-failed", refusal ?? "");
  const parameters = (tool.jsonSchema?.parameters ?? { type: "object" }) as JsonObject;
  const args = fitArguments(parameters, given);
  checkArguments(name, parameters, args);
  const builtin = builtinExecutors.get(name);
  const executor = executors.find(tool);
  if (executor) return (await executor.run(args, call)).output;
  if (!builtin)
    throw new MemoirError("tool-failed", `${name} cannot be called from code: this server does not run it.`);
  const { orgId, userId, agentId, conversationId, runId, stepId, callId } = call;
  const cause = { kind: "tool", userId, agentId, runId, stepId, toolCallId: callId } as const;
  const context = { agentId, conversationId, timezone: agent.timezone, cause };
  return await runtime.store.write(orgId, (transaction) => builtin(transaction, args, context));
}
