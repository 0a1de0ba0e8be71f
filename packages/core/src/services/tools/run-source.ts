/** Running a tool's source that is not stored. */
import type { Actor } from "../../shared/actor.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { defaultReturnChars } from "../../store/tools/tools.ts";
import { withThreads } from "../../threads/threads.ts";
import { checkArguments } from "../../tools/arguments.ts";
import { fitArguments } from "../../tools/fit-arguments.ts";
import { parametersOf } from "../../tools/parameters.ts";
import type { SourceReader } from "../../tools/source/describe-source.ts";
import type { SourceLanguage } from "../../tools/source/source-language.ts";
import { createThreadedReader } from "../../tools/source/threaded-reader.ts";
import { apiCause } from "../blocks/blocks.ts";
import type { Variables } from "../sandboxes/tool-environment.ts";
import { type CustomTools, showOutcome, type ToolCallResult } from "./custom-tools.ts";
import { findLanguage, type NewTool } from "./tool-rows.ts";

export interface SourceCall
  extends Pick<NewTool, "source" | "sourceKind" | "jsonSchema" | "argsSchema" | "pipRequirements" | "npmRequirements"> {
  readonly name?: string;
  readonly args: JsonObject;
  readonly variables?: Variables;
  readonly projectId?: string;
}

export async function runSource(customTools: CustomTools, actor: Actor, call: SourceCall): Promise<ToolCallResult> {
  const language = findLanguage(call.sourceKind ?? "json");
  if (language === undefined) {
    throw new MemoirError(
      "invalid-argument",
      `source_type "${call.sourceKind}" is not known: use python or typescript`,
      {
        details: { field: "source_type" },
      },
    );
  }
  const jsonSchema = call.jsonSchema ?? (await findSchema(language, call, actor.orgId));
  const name = call.name ?? String(jsonSchema.name);
  const parameters = parametersOf({ name, source: call.source, jsonSchema });
  const args = fitArguments(parameters, call.args);
  return await showOutcome(name, defaultReturnChars, async () => {
    await withThreads(actor.orgId, () => checkArguments(name, parameters, args));
    const tool = {
      name,
      sourceKind: language,
      source: call.source,
      jsonSchema,
      argsSchema: call.argsSchema ?? null,
      pipRequirements: call.pipRequirements ?? null,
      npmRequirements: call.npmRequirements ?? null,
      metadata: null,
      projectId: call.projectId ?? null,
    };
    const variables = call.variables ? { variables: call.variables } : {};
    return await customTools.run(tool, args, { orgId: actor.orgId, cause: apiCause(actor), ...variables });
  });
}

async function findSchema(language: SourceLanguage, call: SourceCall, owner: string): Promise<JsonObject> {
  const reader = createThreadedReader();
  return await withThreads(owner, () => readSchema(reader, language, call));
}

/** A source that does not say enough for a model may still be run. */
function readSchema(reader: SourceReader, language: SourceLanguage, call: SourceCall): JsonObject {
  const { source, argsSchema, name } = call;
  const named = name === undefined ? {} : { name };
  const options = argsSchema && Object.keys(argsSchema).length > 0 ? { ...named, argsSchema } : named;
  try {
    return { ...reader.describe(language, source, options) };
  } catch (error) {
    if (!isMemoirError(error, "invalid-source")) throw error;
    return { name: reader.describe(language, source, { ...named, argsSchema: {} }).name };
  }
}
