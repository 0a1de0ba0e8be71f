/** Tools and tool rules on the wire. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { WireObject, wireInteger, wireList, wireName, wireRecord, wireText } from "../shared/fields.ts";

export const toolTypes = [
  "custom",
  "letta_core",
  "letta_memory_core",
  "letta_multi_agent_core",
  "letta_sleeptime_core",
  "letta_voice_sleeptime_core",
  "letta_builtin",
  "letta_files_core",
  "external_langchain",
  "external_composio",
  "external_mcp",
] as const;

export type ToolType = (typeof toolTypes)[number];

export interface ToolWire {
  id: string;
  tool_type: ToolType;
  description: string | null;
  source_type: string | null;
  name: string | null;
  tags: string[];
  source_code: string | null;
  json_schema: JsonObject | null;
  args_json_schema: JsonObject | null;
  return_char_limit: number;
  pip_requirements: JsonObject[] | null;
  npm_requirements: JsonObject[] | null;
  default_requires_approval: boolean | null;
  enable_parallel_execution: boolean | null;
  created_by_id: string | null;
  last_updated_by_id: string | null;
  metadata_: JsonObject | null;
  project_id: string | null;
}

export const ToolWire: z.ZodType<ToolWire> = z
  .strictObject({
    id: z.string(),
    tool_type: z.enum(toolTypes),
    description: z.string().nullable(),
    source_type: z.string().nullable(),
    name: z.string().nullable(),
    tags: z.array(z.string()),
    source_code: z.string().nullable(),
    json_schema: WireObject.nullable(),
    args_json_schema: WireObject.nullable(),
    return_char_limit: z.int(),
    pip_requirements: z.array(WireObject).nullable(),
    npm_requirements: z.array(WireObject).nullable(),
    default_requires_approval: z.boolean().nullable(),
    enable_parallel_execution: z.boolean().nullable(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    metadata_: WireObject.nullable(),
    project_id: z.string().nullable(),
  })
  .meta({ id: "Tool" });

interface RuleBase {
  tool_name: string;
  /** Accepted from older clients; rules are worded by the server. */
  prompt_template?: string | null;
}

export type ToolRuleWire =
  | (RuleBase & { type: "run_first"; args?: JsonObject | null })
  | (RuleBase & { type: "exit_loop" | "continue_loop" | "required_before_exit" | "requires_approval" })
  | (RuleBase & {
      type: "constrain_child_tools";
      children: string[];
      child_arg_nodes?: { name: string; args?: JsonObject | null }[] | null;
    })
  | (RuleBase & { type: "parent_last_tool"; children: string[] })
  | (RuleBase & {
      type: "conditional";
      child_output_mapping: Record<string, string>;
      default_child?: string | null;
      require_output_mapping?: boolean;
    })
  | (RuleBase & { type: "max_count_per_step"; max_count_limit: number });

const ruleBase = { tool_name: wireName, prompt_template: wireText.nullish() };

const ChildNode = z.object({ name: wireName, args: WireObject.nullish() });

export const ToolRuleWire: z.ZodType<ToolRuleWire> = z
  .discriminatedUnion("type", [
    z.strictObject({ ...ruleBase, type: z.literal("run_first"), args: WireObject.nullish() }),
    z.strictObject({ ...ruleBase, type: z.literal("exit_loop") }),
    z.strictObject({ ...ruleBase, type: z.literal("continue_loop") }),
    z.strictObject({ ...ruleBase, type: z.literal("required_before_exit") }),
    z.strictObject({ ...ruleBase, type: z.literal("requires_approval") }),
    z
      .strictObject({
        ...ruleBase,
        type: z.literal("constrain_child_tools"),
        children: wireList(wireName),
        child_arg_nodes: wireList(ChildNode).nullish(),
      })
      .refine(({ children, child_arg_nodes }) => (child_arg_nodes ?? []).every(({ name }) => children.includes(name)), {
        error: "child_arg_nodes may only name tools listed in children",
        path: ["child_arg_nodes"],
      }),
    z.strictObject({ ...ruleBase, type: z.literal("parent_last_tool"), children: wireList(wireName) }),
    z.strictObject({
      ...ruleBase,
      type: z.literal("conditional"),
      child_output_mapping: wireRecord(wireText, wireName).refine(
        (mapping) => Object.keys(mapping).length > 0,
        "child_output_mapping needs at least one entry",
      ),
      default_child: wireName.nullish(),
      require_output_mapping: z.boolean().optional(),
    }),
    z.strictObject({ ...ruleBase, type: z.literal("max_count_per_step"), max_count_limit: wireInteger.min(0) }),
  ])
  .meta({ id: "ToolRule" });
