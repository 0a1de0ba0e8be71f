/** Changing a tool that exists: what is said of it to models follows its source where it was read from there. */
import { isDeepStrictEqual } from "node:util";
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { restToolKind } from "../../tools/rest/operation.ts";
import type { SourceReader } from "../../tools/source/describe-source.ts";
import {
  deriveSchema,
  findLanguage,
  hashTool,
  type NewTool,
  readDescription,
  readName,
  refuse,
  rejectOddSchema,
} from "./tool-rows.ts";

/** Only what is given changes. */
export interface ToolUpdate extends Partial<Omit<NewTool, "projectId">> {
  readonly metadata?: JsonObject;
}

/** Tools that come with the program keep what the program says of them. */
const openFields: ReadonlySet<keyof ToolUpdate> = new Set(["returnCharLimit", "needsApproval", "metadata"]);

export function changeOwnTool(tool: Tool, update: ToolUpdate): Tool {
  const closed = Object.keys(update).filter((field) => !openFields.has(field as keyof ToolUpdate));
  if (closed.length > 0) {
    throw refuse(
      "tool_id",
      `"${tool.name}" comes with the server: only its return_char_limit, default_requires_approval and metadata_ can change`,
    );
  }
  return { ...tool, ...update };
}

/** What they call, and so where their credentials go, is said where they are made. */
const restFields: ReadonlySet<keyof ToolUpdate> = new Set([...openFields, "description", "tags", "isParallel"]);

function changeRestTool(tool: Tool, update: ToolUpdate): Tool {
  const closed = Object.keys(update).filter((field) => !restFields.has(field as keyof ToolUpdate));
  if (closed.length > 0) {
    throw refuse(
      "tool_id",
      `"${tool.name}" is a REST tool: send it to /v1/memoir/rest-tools again to change what it calls`,
    );
  }
  const { description = tool.description } = update;
  const metadata = { ...(update.metadata ?? tool.metadata), rest: tool.metadata?.rest ?? null };
  return { ...tool, ...update, metadata, jsonSchema: { ...tool.jsonSchema, description } };
}

/** The reader comes from outside, because this happens where nothing but the database may be waited for. */
export function changeTool(tool: Tool, update: ToolUpdate, reader: SourceReader): Tool {
  if (tool.kind === restToolKind) return changeRestTool(tool, update);
  const { source = tool.source, sourceKind = tool.sourceKind, argsSchema = tool.argsSchema, ...rest } = update;
  const merged: Tool = { ...tool, ...rest, source, sourceKind, argsSchema };
  const jsonSchema = update.jsonSchema ?? findSchema(tool, merged, update, reader);
  if (update.jsonSchema) rejectOddSchema(update.jsonSchema);
  const name = jsonSchema ? readName(jsonSchema) : tool.name;
  if (update.jsonSchema && update.source !== undefined) rejectOtherFunction(merged, name, reader);
  const metadata = {
    ...(update.metadata ?? tool.metadata),
    ...(source === null ? {} : { tool_hash: hashTool(merged) }),
  };
  return { ...merged, name, jsonSchema, metadata, description: update.description ?? followSchema(tool, jsonSchema) };
}

/** A description that was taken from the schema goes on to be. */
function followSchema(tool: Tool, jsonSchema: JsonObject | null): string | null {
  const wasTaken = tool.jsonSchema !== null && readDescription(tool.jsonSchema) === tool.description;
  return wasTaken && jsonSchema ? readDescription(jsonSchema) : tool.description;
}

function findSchema(tool: Tool, merged: Tool, update: ToolUpdate, reader: SourceReader): JsonObject | null {
  if (update.argsSchema) return derive(merged, reader);
  if (update.source === undefined || merged.source === null) return tool.jsonSchema;
  if (wasDerived(tool, reader)) return derive(merged, reader);
  rejectOtherFunction(merged, tool.name, reader);
  return tool.jsonSchema;
}

/** The schema names the function that is called. */
function rejectOtherFunction({ source, sourceKind }: Tool, name: string, reader: SourceReader): void {
  const language = findLanguage(sourceKind ?? "json");
  if (language === undefined || reader.hasFunction(language, source ?? "", name)) return;
  throw refuse(
    "source_code",
    `the new source has no function "${name}": keep the name, or send a json_schema with the name of the function`,
  );
}

function derive({ source, sourceKind, argsSchema }: Tool, reader: SourceReader): JsonObject {
  return deriveSchema(
    {
      source: source ?? "",
      ...(sourceKind === null ? {} : { sourceKind }),
      ...(argsSchema === null ? {} : { argsSchema }),
    },
    reader,
  );
}

/** A schema that somebody wrote by hand says more than the source, and is kept. */
function wasDerived(tool: Tool, reader: SourceReader): boolean {
  try {
    return isDeepStrictEqual(derive(tool, reader), tool.jsonSchema);
  } catch (error) {
    if (error instanceof MemoirError) return false;
    throw error;
  }
}
