/** Which tools an agent holds, which of them wait for a human, and calling one by hand. */
import type { Actor } from "../actor.ts";
import { isMemoirError, MemoirError, notFound } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { type Runtime, readScope, write } from "../runtime.ts";
import { type Agent, getAgent, lockAgent, updateAgent } from "../store/agents.ts";
import { getDefaultConversation } from "../store/conversations.ts";
import { StaleWriteError } from "../store/entity.ts";
import { listPage, type PageRequest } from "../store/paging.ts";
import type { Scope } from "../store/scope.ts";
import {
  attachTools,
  detachAllTools,
  detachTools,
  getTool,
  listHolders,
  loadAgentTools,
  selectAgentTools,
  type Tool,
  toolEntity,
} from "../store/tools.ts";
import { checkArguments } from "../tools/arguments.ts";
import { builtinExecutors } from "../tools/builtin/list.ts";
import { showOutput } from "../tools/output.ts";
import { needsApproval, renameTool } from "../tools/rules.ts";
import { apiCause } from "./blocks.ts";

/** How a call by hand went. */
export type ToolCallResult =
  | { readonly status: "success"; readonly output: JsonValue }
  | { readonly status: "error"; readonly error: string };

export interface AgentToolService {
  list(actor: Actor, agentId: string, page: PageRequest): Promise<Tool[]>;
  /** A tool that needs approval brings the rule for it along. Attaching again changes nothing. */
  attach(actor: Actor, agentId: string, toolId: string): Promise<void>;
  detach(actor: Actor, agentId: string, toolId: string): Promise<void>;
  /** Whether calls of the tool of this name wait for a human. */
  setApproval(actor: Actor, agentId: string, toolName: string, isNeeded: boolean): Promise<void>;
  /** Calls a tool that the agent holds. What the tool refuses is its result; what it wrote before that is undone. */
  run(actor: Actor, agentId: string, toolName: string, args: JsonObject): Promise<ToolCallResult>;
}

export function createAgentToolService(runtime: Runtime): AgentToolService {
  return {
    list: async (actor, agentId, page) => {
      const scope = readScope(runtime, actor);
      await getAgent(scope, agentId);
      return await listPage(scope, toolEntity, selectAgentTools(scope, agentId), page);
    },
    attach: (actor, agentId, toolId) =>
      write(runtime, actor, async (scope) => {
        const agent = await lockAgent(scope, agentId);
        const tool = await getTool(scope, toolId);
        await attachTools(scope, agentId, [toolId]);
        if (tool.needsApproval) await writeApproval(scope, agent, tool.name, true);
      }),
    detach: (actor, agentId, toolId) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, agentId);
        await getTool(scope, toolId);
        await detachTools(scope, agentId, [toolId]);
      }),
    setApproval: (actor, agentId, toolName, isNeeded) =>
      write(runtime, actor, async (scope) => {
        await writeApproval(scope, await lockAgent(scope, agentId), toolName, isNeeded);
      }),
    run: (actor, agentId, toolName, args) =>
      write(runtime, actor, (scope) => runTool(scope, actor, agentId, toolName, args)),
  };
}

/** Those that are new to the agent and need approval bring the rule for it along. */
export async function replaceAgentTools(scope: Scope, agent: Agent, tools: readonly Tool[]): Promise<void> {
  const held = new Set((await loadAgentTools(scope, [agent.id])).get(agent.id)?.map(({ id }) => id));
  await detachAllTools(scope, agent.id);
  await attachTools(
    scope,
    agent.id,
    tools.map(({ id }) => id),
  );
  const guarded = tools.filter((tool) => tool.needsApproval && !held.has(tool.id)).map(({ name }) => name);
  const rules = guarded
    .filter((tool) => !needsApproval(agent.toolRules, tool))
    .map((tool) => ({ type: "approval", tool }) as const);
  if (rules.length > 0) await updateAgent(scope, agent.id, { toolRules: [...agent.toolRules, ...rules] });
}

async function writeApproval(scope: Scope, { id, toolRules }: Agent, tool: string, isNeeded: boolean): Promise<void> {
  if (needsApproval(toolRules, tool) === isNeeded) return;
  const others = toolRules.filter((rule) => rule.type !== "approval" || rule.tool !== tool);
  await updateAgent(scope, id, { toolRules: isNeeded ? [...others, { type: "approval", tool }] : others });
}

/** What agents may do with a tool does not change with its name, least of all that they have to ask first. */
export async function renameRules(scope: Scope, toolId: string, from: string, to: string): Promise<void> {
  for (const agentId of await listHolders(scope, toolId)) {
    const { toolRules } = await lockAgent(scope, agentId);
    await updateAgent(scope, agentId, { toolRules: toolRules.map((rule) => renameTool(rule, from, to)) });
  }
}

async function runTool(
  scope: Scope,
  actor: Actor,
  agentId: string,
  toolName: string,
  args: JsonObject,
): Promise<ToolCallResult> {
  const agent = await getAgent(scope, agentId);
  const tool = (await loadAgentTools(scope, [agentId])).get(agentId)?.find(({ name }) => name === toolName);
  if (!tool) throw notFound("tool", toolName);
  const run = builtinExecutors.get(tool.name);
  if (!run) {
    throw new MemoirError(
      "not-implemented",
      `${tool.name} cannot be called by hand: tools with a source do not run here yet`,
      {
        details: { entity: "tool", id: tool.id },
      },
    );
  }
  const conversation = await getDefaultConversation(scope, agentId);
  const context = { agentId, conversationId: conversation.id, timezone: agent.timezone, cause: apiCause(actor) };
  try {
    checkArguments(tool.name, (tool.jsonSchema?.parameters ?? { type: "object" }) as JsonObject, args);
    const output = await scope.nested(() => run(scope, args, context));
    return { status: "success", output: showResult(tool, output) };
  } catch (error) {
    // The transaction is run again with what the block holds now.
    if (error instanceof StaleWriteError || !isMemoirError(error)) throw error;
    return { status: "error", error: error.message };
  }
}

/** Objects stay objects; everything else is shown as an agent would see it. */
function showResult({ name, returnCharLimit }: Tool, output: JsonValue): JsonValue {
  const isObject = typeof output === "object" && output !== null && !Array.isArray(output);
  return isObject ? output : showOutput(name, output, returnCharLimit);
}
