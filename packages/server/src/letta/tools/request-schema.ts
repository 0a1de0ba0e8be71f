/** What clients send about tools. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireInteger, wireList, wireName, wireRecord, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";
import { type PageQuery, pageShape } from "../shared/paging.ts";
import { queryBoolean, queryText, queryTexts } from "../shared/query.ts";
import type { RequirementWire, RunSourceWire as SourceWire } from "./run-wire.ts";
import { ToolWire } from "./schema.ts";

const Requirement: z.ZodType<RequirementWire> = z.object({
  name: wireName.min(1),
  version: optional(wireName),
});

/** Longer than any tool that people write; the worst of this length is read in about a second. */
const sourceCode = z.string().max(500_000);
const charLimit = wireInteger.min(1).max(1_000_000);

interface ToolFieldsWire {
  description?: string;
  tags?: string[];
  source_type?: string;
  json_schema?: JsonObject;
  args_json_schema?: JsonObject;
  return_char_limit?: number;
  pip_requirements?: RequirementWire[];
  npm_requirements?: RequirementWire[];
  default_requires_approval?: boolean;
  enable_parallel_execution?: boolean;
}

const toolShape = {
  description: optional(wireText),
  tags: optional(wireList(wireName)),
  source_type: optional(wireName),
  json_schema: optional(WireObject),
  args_json_schema: optional(WireObject),
  pip_requirements: optional(wireList(Requirement)),
  npm_requirements: optional(wireList(Requirement)),
  default_requires_approval: optional(z.boolean()),
  enable_parallel_execution: optional(z.boolean()),
};

export interface CreateToolWire extends ToolFieldsWire {
  source_code: string;
}

export const CreateToolWire: z.ZodType<CreateToolWire> = z
  .strictObject({ ...toolShape, source_code: sourceCode, return_char_limit: charLimit.optional() })
  .meta({ id: "ToolCreate" });

export interface ToolUpdateWire extends ToolFieldsWire {
  source_code?: string;
  metadata_?: JsonObject;
}

export const ToolUpdateWire: z.ZodType<ToolUpdateWire> = z
  .object({
    ...toolShape,
    source_code: optional(sourceCode),
    return_char_limit: optional(charLimit),
    metadata_: optional(WireObject),
  })
  .meta({ id: "ToolUpdate" });

export interface ToolFilterQuery {
  name?: string;
  names?: string[];
  tool_ids?: string[];
  search?: string;
  tool_types?: string[];
  exclude_tool_types?: string[];
  return_only_letta_tools?: boolean;
  exclude_letta_tools?: boolean;
}

const filterShape = {
  name: queryText,
  names: queryTexts,
  tool_ids: queryTexts,
  search: queryText,
  tool_types: queryTexts,
  exclude_tool_types: queryTexts,
  return_only_letta_tools: queryBoolean,
};

export const ToolCountQuery: z.ZodType<ToolFilterQuery> = z.object({
  ...filterShape,
  exclude_letta_tools: queryBoolean,
});

export type ToolListQuery = Omit<ToolFilterQuery, "exclude_letta_tools"> & PageQuery;
export const ToolListQuery: z.ZodType<ToolListQuery> = z.object({ ...filterShape, ...pageShape });

export interface ToolSearchWire {
  query?: string;
  search_mode?: "vector" | "fts" | "hybrid";
  tool_types?: string[];
  tags?: string[];
  limit?: number;
}

export const ToolSearchWire: z.ZodType<ToolSearchWire> = z
  .strictObject({
    query: optional(wireText),
    search_mode: z.enum(["vector", "fts", "hybrid"]).optional(),
    tool_types: optional(wireList(wireName)),
    tags: optional(wireList(wireName)),
    limit: wireInteger.min(1).max(100).optional(),
  })
  .meta({ id: "ToolSearchRequest" });

export interface ToolHitWire {
  tool: ToolWire;
  embedded_text: string | null;
  fts_rank: number | null;
  vector_rank: number | null;
  combined_score: number;
}

export const ToolHitWire: z.ZodType<ToolHitWire> = z
  .strictObject({
    tool: ToolWire,
    embedded_text: z.string().nullable(),
    fts_rank: z.int().nullable(),
    vector_rank: z.int().nullable(),
    combined_score: z.number(),
  })
  .meta({ id: "ToolSearchResult" });

export const RunSourceWire: z.ZodType<SourceWire> = z
  .strictObject({
    source_code: sourceCode,
    args: WireObject,
    env_vars: wireRecord(wireName, wireText).optional(),
    name: wireName.nullish(),
    source_type: wireName.nullish(),
    args_json_schema: WireObject.nullish(),
    json_schema: WireObject.nullish(),
    pip_requirements: wireList(Requirement).nullish(),
    npm_requirements: wireList(Requirement).nullish(),
  })
  .meta({ id: "ToolRunFromSource" });

export interface DescribeSourceWire {
  code: string;
  source_type?: string;
}

export const DescribeSourceWire: z.ZodType<DescribeSourceWire> = z.object({
  code: sourceCode,
  source_type: optional(wireName),
});

export interface RunToolWire {
  args?: JsonObject;
}

export const RunToolWire: z.ZodType<RunToolWire> = z
  .strictObject({ args: optional(WireObject) })
  .meta({ id: "ToolExecuteRequest" });

export interface ToolResultWire {
  status: "success" | "error";
  func_return: unknown;
  agent_state: null;
  stdout: string[] | null;
  stderr: string[] | null;
  sandbox_config_fingerprint: string | null;
}

export const ToolResultWire: z.ZodType<ToolResultWire> = z
  .strictObject({
    status: z.enum(["success", "error"]),
    func_return: z.unknown(),
    agent_state: z.null(),
    stdout: z.array(z.string()).nullable(),
    stderr: z.array(z.string()).nullable(),
    sandbox_config_fingerprint: z.string().nullable(),
  })
  .meta({ id: "ToolExecutionResult" });

export interface ApprovalWire {
  requires_approval?: boolean;
  /** What the npm client sends in its place. */
  body_requires_approval?: boolean;
}

export const ApprovalWire: z.ZodType<ApprovalWire> = z
  .strictObject({ requires_approval: z.boolean().optional(), body_requires_approval: z.boolean().optional() })
  .meta({ id: "ModifyApprovalRequest" });

export const ApprovalQuery: z.ZodType<Pick<ApprovalWire, "requires_approval">> = z.object({
  requires_approval: queryBoolean,
});

export interface ToolParams {
  tool_id: string;
}

export const ToolParams: z.ZodType<ToolParams> = z.object({ tool_id: idSchema("tool") });

export interface AgentToolParams extends ToolParams {
  agent_id: string;
}

export const AgentToolParams: z.ZodType<AgentToolParams> = z.object({
  agent_id: idSchema("agent"),
  tool_id: idSchema("tool"),
});

export interface AgentToolNameParams {
  agent_id: string;
  tool_name: string;
}

export const AgentToolNameParams: z.ZodType<AgentToolNameParams> = z.object({
  agent_id: idSchema("agent"),
  tool_name: wireName,
});
