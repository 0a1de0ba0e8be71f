/** What an agent may call of the tools it holds, and of those that whoever sends a message brings along. */
import type { ToolDefinition } from "../shared/content.ts";
import { isPermitted, type ToolPermissions } from "../shared/tool-permissions.ts";
import type { Agent } from "../store/agents/agents.ts";
import type { Tool } from "../store/tools/tools.ts";
import { isClientTool, withClientTools } from "./client-tools.ts";

export interface PermittedTools {
  readonly tools: readonly Tool[];
  /** Names of those it may not call. */
  readonly forbidden: ReadonlySet<string>;
}

/** Tools of a client run at the client, so what is allowed on this side says nothing of them; what is denied by name does. */
export function permitTools(
  { toolPermissions }: Pick<Agent, "toolPermissions">,
  held: readonly Tool[],
  clientTools: readonly ToolDefinition[] = [],
): PermittedTools {
  if (toolPermissions === null) return { tools: withClientTools(held, clientTools), forbidden: new Set() };
  const denied = new Set(toolPermissions.deny.names);
  const brought = clientTools.filter(({ name }) => !denied.has(name));
  const tools = withClientTools(
    held.filter((tool) => isPermitted(toolPermissions, tool)),
    brought,
  );
  const known = [...held, ...clientTools].map(({ name }) => name);
  return { tools, forbidden: new Set(known.filter((name) => !tools.some((tool) => tool.name === name))) };
}

/** Takes away what is not permitted any more. What is permitted anew is there from the next turn on. */
export function narrowTools(
  held: { tools: readonly Tool[]; forbidden: ReadonlySet<string> },
  by: ToolPermissions | null,
): void {
  if (by === null) return;
  const isLeft = (tool: Tool) => (isClientTool(tool) ? !by.deny.names.includes(tool.name) : isPermitted(by, tool));
  const gone = held.tools.filter((tool) => !isLeft(tool)).map(({ name }) => name);
  if (gone.length === 0) return;
  held.forbidden = new Set([...held.forbidden, ...gone]);
  held.tools = held.tools.filter(isLeft);
}

/** Told to the model, and to whoever calls the tool by hand. */
export function describeForbidden(name: string): string {
  return `${name} is not permitted: the tool_permissions of this agent do not allow it. Nothing was done. Go on without it.`;
}
