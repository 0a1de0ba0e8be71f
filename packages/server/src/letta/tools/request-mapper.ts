/** What clients send about tools, in core's words. */
import {
  MemoirError,
  type NewTool,
  omitUndefined,
  type ToolCallResult,
  type ToolFilter,
  type ToolHit,
  type ToolUpdate,
} from "@memoir/core";
import type { FastifyRequest } from "fastify";
import { toToolWire, wireTypes } from "./mapper.ts";
import type { CreateToolWire, ToolFilterQuery, ToolHitWire, ToolResultWire, ToolUpdateWire } from "./request-schema.ts";
import { fromRequirement } from "./run-wire.ts";
import { type ToolType, toolTypes } from "./schema.ts";

export function fromCreateTool(wire: CreateToolWire, projectId: string | undefined): NewTool {
  return { ...fromToolUpdate(wire), source: wire.source_code, projectId };
}

export function fromToolUpdate(wire: ToolUpdateWire): ToolUpdate {
  return omitUndefined({
    source: wire.source_code,
    sourceKind: wire.source_type,
    jsonSchema: wire.json_schema,
    argsSchema: wire.args_json_schema,
    description: wire.description,
    tags: wire.tags,
    returnCharLimit: wire.return_char_limit,
    pipRequirements: wire.pip_requirements?.map(fromRequirement),
    npmRequirements: wire.npm_requirements?.map(fromRequirement),
    needsApproval: wire.default_requires_approval,
    isParallel: wire.enable_parallel_execution,
    metadata: wire.metadata_,
  });
}

/** Tools may belong to one project of the hosted product; a client says which it works in. */
export function readProject({ headers }: FastifyRequest): string | undefined {
  const input = headers["x-project-id"];
  return typeof input === "string" && input !== "" ? input : undefined;
}

/** Those of tools that come with the server. */
const builtinTypes = toolTypes.filter((type) => type.startsWith("letta_"));

export function fromToolFilter(query: ToolFilterQuery, projectId: string | undefined): ToolFilter {
  const included = query.tool_types && toKinds(splitCommas(query.tool_types), "tool_types");
  const builtin = toKinds(builtinTypes, "tool_types");
  const excluded = query.exclude_tool_types ? toKinds(splitCommas(query.exclude_tool_types), "exclude_tool_types") : [];
  return omitUndefined({
    name: query.name,
    names: query.names,
    ids: query.tool_ids && splitCommas(query.tool_ids),
    search: query.search,
    kinds: query.return_only_letta_tools ? builtin.filter((kind) => included?.includes(kind) ?? true) : included,
    excludedKinds: query.exclude_letta_tools ? [...excluded, ...builtin] : excluded,
    projectId,
  });
}

function splitCommas(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

/** Core tells more kinds apart than the wire does: one type may stand for several. */
export function toKinds(types: readonly string[], field: string): string[] {
  const odd = types.find((type) => !toolTypes.includes(type as ToolType));
  if (odd !== undefined) {
    const message = `${field} names "${odd.slice(0, 100)}"; it must be one of ${toolTypes.join(", ")}`;
    throw new MemoirError("invalid-argument", message, { details: { field } });
  }
  return Object.entries(wireTypes).flatMap(([kind, type]) => (types.includes(type) ? [kind] : []));
}

export function toToolHitWire({ tool, wordRank, score }: ToolHit): ToolHitWire {
  return {
    tool: toToolWire(tool),
    embedded_text: null,
    fts_rank: wordRank,
    vector_rank: null,
    combined_score: score,
  };
}

export function toToolResultWire(result: ToolCallResult): ToolResultWire {
  const isSuccess = result.status === "success";
  return {
    status: result.status,
    func_return: isSuccess ? result.output : null,
    agent_state: null,
    stdout: [...(result.stdout ?? [])],
    stderr: isSuccess || result.stderr?.length ? [...(result.stderr ?? [])] : [result.error],
    sandbox_config_fingerprint: isSuccess ? (result.sandbox ?? null) : null,
  };
}
