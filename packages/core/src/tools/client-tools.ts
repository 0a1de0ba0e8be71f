/** Tools that whoever sends a message runs for the agent. They exist for one run only. */
import type { ToolDefinition } from "../shared/content.ts";
import { defaultReturnChars, type Tool } from "../store/tools/tools.ts";

const clientKind = "client";

export const isClientTool = ({ kind }: Tool): boolean => kind === clientKind;

/** In place of tools of the same name. */
export function withClientTools(tools: readonly Tool[], input: readonly ToolDefinition[] = []): readonly Tool[] {
  if (input.length === 0) return tools;
  const names = new Set(input.map(({ name }) => name));
  return [...tools.filter(({ name }) => !names.has(name)), ...input.map(toTool)];
}

function toTool({ name, description, parameters }: ToolDefinition): Tool {
  return {
    id: "",
    name,
    kind: clientKind,
    description,
    sourceKind: null,
    source: null,
    jsonSchema: { name, description, parameters },
    argsSchema: null,
    tags: [],
    returnCharLimit: defaultReturnChars,
    pipRequirements: null,
    npmRequirements: null,
    needsApproval: null,
    isParallel: null,
    metadata: null,
    projectId: null,
    createdAt: 0,
    updatedAt: 0,
    createdBy: null,
    updatedBy: null,
  };
}
