/** Tools and tool rules between core and wire. */
import type { Tool, ToolRule } from "@memoir/core";
import type { ToolRuleWire, ToolType, ToolWire } from "./schema.ts";

export const wireTypes: Readonly<Record<string, ToolType>> = {
  core: "letta_core",
  memory: "letta_memory_core",
  "multi-agent": "letta_multi_agent_core",
  sleeptime: "letta_sleeptime_core",
  voice: "letta_voice_sleeptime_core",
  service: "letta_builtin",
  files: "letta_files_core",
  custom: "custom",
  host: "custom",
  rest: "custom",
  mcp: "external_mcp",
  composio: "external_composio",
  langchain: "external_langchain",
};

/** Functions of the embedding program and REST tools are of kinds that have no type of their own. */
export function kindOfToolType(type: ToolType): string {
  return kindsOfToolType(type)[0] ?? "custom";
}

/** The first is the one that has this type for itself. */
export function kindsOfToolType(type: ToolType): string[] {
  return Object.keys(wireTypes).filter((kind) => wireTypes[kind] === type);
}

export function toToolWire(tool: Tool): ToolWire {
  const type = wireTypes[tool.kind] ?? "custom";
  return {
    id: tool.id,
    tool_type: type,
    description: tool.description,
    source_type: tool.sourceKind,
    name: tool.name,
    // The tools that come with the server carry their type as their only tag.
    tags: type.startsWith("letta_") ? [type] : [...tool.tags],
    source_code: tool.source,
    json_schema: tool.jsonSchema,
    args_json_schema: tool.argsSchema,
    return_char_limit: tool.returnCharLimit,
    pip_requirements: tool.pipRequirements && [...tool.pipRequirements],
    npm_requirements: tool.npmRequirements && [...tool.npmRequirements],
    default_requires_approval: tool.needsApproval,
    enable_parallel_execution: tool.isParallel,
    created_by_id: tool.createdBy,
    last_updated_by_id: tool.updatedBy,
    metadata_: tool.metadata,
    project_id: tool.projectId,
  };
}

export function toToolRuleWire(rule: ToolRule): ToolRuleWire {
  const base = { tool_name: rule.tool, prompt_template: null };
  switch (rule.type) {
    case "run-first":
      return { ...base, type: "run_first", args: rule.args };
    case "exit":
      return { ...base, type: "exit_loop" };
    case "continue":
      return { ...base, type: "continue_loop" };
    case "children":
      return {
        ...base,
        type: "constrain_child_tools",
        children: [...rule.children],
        child_arg_nodes: rule.childArgs?.map(({ name, args }) => ({ name, args })) ?? null,
      };
    case "parent":
      return { ...base, type: "parent_last_tool", children: [...rule.children] };
    case "conditional":
      return {
        ...base,
        type: "conditional",
        default_child: rule.fallback,
        child_output_mapping: { ...rule.outputs },
        require_output_mapping: rule.isStrict,
      };
    case "max-count":
      return { ...base, type: "max_count_per_step", max_count_limit: rule.limit };
    case "required-before-exit":
      return { ...base, type: "required_before_exit" };
    case "approval":
      return { ...base, type: "requires_approval" };
  }
}

export function fromToolRule(wire: ToolRuleWire): ToolRule {
  const tool = wire.tool_name;
  switch (wire.type) {
    case "run_first":
      return { type: "run-first", tool, args: wire.args ?? null };
    case "exit_loop":
      return { type: "exit", tool };
    case "continue_loop":
      return { type: "continue", tool };
    case "required_before_exit":
      return { type: "required-before-exit", tool };
    case "requires_approval":
      return { type: "approval", tool };
    case "constrain_child_tools": {
      const nodes = wire.child_arg_nodes;
      const childArgs = nodes?.map(({ name, args }) => ({ name, args: args ?? null })) ?? null;
      return { type: "children", tool, children: wire.children, childArgs };
    }
    case "parent_last_tool":
      return { type: "parent", tool, children: wire.children };
    case "conditional":
      return {
        type: "conditional",
        tool,
        outputs: wire.child_output_mapping,
        fallback: wire.default_child ?? null,
        isStrict: wire.require_output_mapping ?? false,
      };
    case "max_count_per_step":
      return { type: "max-count", tool, limit: wire.max_count_limit };
  }
}
