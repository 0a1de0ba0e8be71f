/** What a model is offered of the tools its agent holds: those that are permitted and that this process can run. */
import type { ToolDefinition } from "../shared/content.ts";
import type { Agent } from "../store/agents/agents.ts";
import type { Tool } from "../store/tools/tools.ts";
import { builtinExecutors } from "./builtin/list.ts";
import { isClientTool } from "./client-tools.ts";
import { type PermittedTools, permitTools } from "./permitted-tools.ts";
import { withoutTools } from "./rules.ts";
import type { Executors } from "./tool.ts";

export interface OfferedTools extends PermittedTools {
  /** Its rules demand no call that cannot be made. */
  readonly agent: Agent;
  /** Names of tools that stay attached and that this process cannot run. */
  readonly unrunnable: ReadonlySet<string>;
}

export function isRunnable(tool: Tool, executors: Executors): boolean {
  return builtinExecutors.has(tool.name) || executors.find(tool) !== undefined;
}

export function offerTools(
  agent: Agent,
  held: readonly Tool[],
  executors: Executors,
  clientTools: readonly ToolDefinition[] = [],
): OfferedTools {
  const { tools, forbidden } = permitTools(agent, held, clientTools);
  const missing = tools.filter((tool) => !isClientTool(tool) && !isRunnable(tool, executors));
  if (missing.length === 0) return { agent, tools, forbidden, unrunnable: new Set() };
  const unrunnable = new Set(missing.map(({ name }) => name));
  return {
    agent: { ...agent, toolRules: withoutTools(agent.toolRules, unrunnable) },
    tools: tools.filter(({ name }) => !unrunnable.has(name)),
    forbidden,
    unrunnable,
  };
}

/** Whether one of the tools can change memory blocks. */
export function canEditMemory(tools: readonly Pick<Tool, "kind">[]): boolean {
  return tools.some(({ kind }) => kind === "memory" || kind === "sleeptime");
}

/** For the model that calls such a tool all the same. */
export function describeUnrunnable(name: string): string {
  return `${name} cannot run on this server yet. Go on without it.`;
}
