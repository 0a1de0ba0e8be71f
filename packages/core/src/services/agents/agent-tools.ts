/** Which tools an agent holds, which of them wait for a human, and calling one by hand. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { isMemoirError, MemoirError, notFound } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { isPermitted } from "../../shared/tool-permissions.ts";
import { type Agent, getAgent, lockAgent, updateAgent } from "../../store/agents/agents.ts";
import { getDefaultConversation } from "../../store/conversations/conversations.ts";
import { StaleWriteError } from "../../store/engine/entity.ts";
import { listPage, type PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import {
  attachTools,
  detachAllTools,
  detachTools,
  getTool,
  listAgentTools,
  selectAgentTools,
  type Tool,
  toolEntity,
} from "../../store/tools/tools.ts";
import { withThreads } from "../../threads/threads.ts";
import { checkArguments } from "../../tools/arguments.ts";
import { builtinExecutors } from "../../tools/builtin/list.ts";
import { fitArguments } from "../../tools/fit-arguments.ts";
import { ownArguments, parametersOf } from "../../tools/parameters.ts";
import { describeForbidden } from "../../tools/permitted-tools.ts";
import { needsApproval } from "../../tools/rules.ts";
import type { Executors } from "../../tools/tool.ts";
import { apiCause } from "../blocks/blocks.ts";
import { readFingerprint } from "../sandboxes/tool-environment.ts";
import { type CustomTools, showOutcome, showResult, type ToolCallResult } from "../tools/custom-tools.ts";
import { customToolKind } from "../tools/tool-rows.ts";
import { runOutside } from "../tools/web-tools.ts";
import { listNotices } from "./agent-notices.ts";

export interface AgentToolService {
  list(actor: Actor, agentId: string, page: PageRequest): Promise<Tool[]>;
  /** A tool that needs approval brings the rule for it along. Attaching again changes nothing. */
  attach(actor: Actor, agentId: string, toolId: string): Promise<AttachedTool>;
  detach(actor: Actor, agentId: string, toolId: string): Promise<void>;
  /** Whether calls of the tool of this name wait for a human. */
  setApproval(actor: Actor, agentId: string, toolName: string, isNeeded: boolean): Promise<void>;
  /** Calls a tool that the agent holds. What the tool refuses is its result; what it wrote before that is undone. */
  run(actor: Actor, agentId: string, toolName: string, args: JsonObject): Promise<ToolCallResult>;
}

export interface AttachedTool {
  readonly tool: Tool;
  /** What of it does not work yet, in sentences for the agent's owner. */
  readonly notices: readonly string[];
}

/** `outside` are those of tools that go out into the web. */
export function createAgentToolService(
  runtime: Runtime,
  customTools: CustomTools,
  { outside, all }: { readonly outside: Executors; readonly all: Executors },
): AgentToolService {
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
        return { tool, notices: listNotices({ agent: { sleeptime: null }, tools: [tool] }, all) };
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
    run: async (actor, agentId, toolName, input) => {
      const args = ownArguments(input);
      const { agent, tool } = await findHeldTool(readScope(runtime, actor), agentId, toolName);
      if (!isPermitted(agent.toolPermissions, tool)) return { status: "error", error: describeForbidden(tool.name) };
      const executor = outside.find(tool);
      if (tool.kind !== customToolKind && !executor)
        return await write(runtime, actor, (scope) => runBuiltin(scope, actor, agent, tool, args));
      const scope = readScope(runtime, actor);
      const conversation = await getDefaultConversation(scope, agentId);
      if (executor) return await runOutside(executor, actor, { agentId, conversationId: conversation.id }, tool, args);
      const place = { id: agentId, conversationId: conversation.id };
      const result = await runCustom(customTools, actor, place, tool, args);
      return { ...result, sandbox: await readFingerprint(scope) };
    },
  };
}

/** Those that are new to the agent and need approval bring the rule for it along. */
export async function replaceAgentTools(scope: Scope, agent: Agent, tools: readonly Tool[]): Promise<void> {
  const held = new Set((await listAgentTools(scope, agent.id)).map(({ id }) => id));
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

async function findHeldTool(scope: Scope, agentId: string, toolName: string): Promise<{ agent: Agent; tool: Tool }> {
  const agent = await getAgent(scope, agentId);
  const tool = (await listAgentTools(scope, agentId)).find(({ name }) => name === toolName);
  if (!tool) throw notFound("tool", toolName);
  return { agent, tool };
}

async function runBuiltin(
  scope: Scope,
  actor: Actor,
  agent: Agent,
  tool: Tool,
  args: JsonObject,
): Promise<ToolCallResult> {
  const run = builtinExecutors.get(tool.name);
  if (!run) {
    throw new MemoirError("not-implemented", `${tool.name} cannot be called by hand: this server does not run it yet`, {
      details: { entity: "tool", id: tool.id },
    });
  }
  const agentId = agent.id;
  const conversation = await getDefaultConversation(scope, agentId);
  const context = { agentId, conversationId: conversation.id, timezone: agent.timezone, cause: apiCause(actor) };
  try {
    checkArguments(tool.name, parametersOf(tool), args);
    const output = await scope.nested(() => run(scope, args, context));
    return { status: "success", output: showResult(tool.name, output, tool.returnCharLimit) };
  } catch (error) {
    // The transaction is run again with what the block holds now.
    if (error instanceof StaleWriteError || !isMemoirError(error)) throw error;
    return { status: "error", error: error.message };
  }
}

async function runCustom(
  customTools: CustomTools,
  actor: Actor,
  agent: { readonly id: string; readonly conversationId: string },
  tool: Tool,
  input: JsonObject,
): Promise<ToolCallResult> {
  const { source } = tool;
  if (source === null) throw notFound("source of tool", tool.name);
  const args = fitArguments(parametersOf(tool), input);
  return await showOutcome(tool.name, tool.returnCharLimit, async () => {
    await withThreads(actor.orgId, () => checkArguments(tool.name, parametersOf(tool), args));
    const cause = { ...apiCause(actor), agentId: agent.id };
    return await customTools.run({ ...tool, source }, args, { orgId: actor.orgId, cause, agent });
  });
}
