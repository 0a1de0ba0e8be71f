/** From what a caller says about a tool of their own to the row that is stored. */
import { createHash } from "node:crypto";
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { defaultReturnChars, type Tool } from "../../store/tools/tools.ts";
import { withThreads } from "../../threads/threads.ts";
import { builtinExecutors, builtinTools } from "../../tools/builtin/list.ts";
import { hostToolKind } from "../../tools/executors/host.ts";
import type { SourceReader } from "../../tools/source/describe-source.ts";
import type { SourceLanguage } from "../../tools/source/source-language.ts";
import { createThreadedReader } from "../../tools/source/threaded-reader.ts";

export const customToolKind = "custom";

export interface NewTool {
  readonly source: string;
  /** `python`, `typescript`, or `json` where the caller did not say; that is read as Python. */
  readonly sourceKind?: string;
  /** What models are told: name, description, parameters. Derived from the source where it is left out. */
  readonly jsonSchema?: JsonObject;
  /** The parameters alone; name and description are then read from the source. */
  readonly argsSchema?: JsonObject;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly returnCharLimit?: number;
  readonly pipRequirements?: readonly JsonObject[];
  readonly npmRequirements?: readonly JsonObject[];
  readonly needsApproval?: boolean;
  readonly isParallel?: boolean;
  readonly projectId?: string;
}

export type ToolFields = Omit<Tool, "id" | "kind" | "createdAt" | "updatedAt" | "createdBy" | "updatedBy">;

export async function toFields(input: NewTool, owner: string): Promise<ToolFields> {
  const jsonSchema = input.jsonSchema ?? (await readSchema(input, owner));
  const name = readName(jsonSchema);
  rejectOddSchema(jsonSchema);
  const fields = {
    name,
    description: input.description ?? readDescription(jsonSchema),
    sourceKind: input.sourceKind ?? "json",
    source: input.source,
    jsonSchema,
    argsSchema: input.argsSchema ?? {},
    tags: [...new Set(input.tags)],
    returnCharLimit: input.returnCharLimit ?? defaultReturnChars,
    pipRequirements: input.pipRequirements ?? null,
    npmRequirements: input.npmRequirements ?? null,
    needsApproval: input.needsApproval ?? null,
    isParallel: input.isParallel ?? false,
    projectId: input.projectId ?? null,
  };
  return { ...fields, metadata: { tool_hash: hashTool(fields) } };
}

const languages: ReadonlyMap<string, SourceLanguage> = new Map([
  ["json", "python"],
  ["python", "python"],
  ["typescript", "typescript"],
]);

/** What source that is called so is read as; nothing where it is not known. */
export const findLanguage = (sourceKind: string): SourceLanguage | undefined => languages.get(sourceKind);

/** What models are told of a tool with this source. Throws where it does not say enough. */
export async function readSchema(tool: NewTool, owner: string): Promise<JsonObject> {
  const reader = createThreadedReader();
  return await withThreads(owner, () => deriveSchema(tool, reader));
}

/** Throws where the source does not say enough. */
export function deriveSchema({ source, sourceKind = "json", argsSchema }: NewTool, reader: SourceReader): JsonObject {
  const language = findLanguage(sourceKind);
  if (language === undefined) {
    throw refuse(
      "source_type",
      `source_type "${sourceKind.slice(0, 100)}" is not known: use python or typescript, or send json_schema`,
    );
  }
  const hasArgs = argsSchema !== undefined && Object.keys(argsSchema).length > 0;
  const { name, description, parameters } = reader.describe(language, source, hasArgs ? { argsSchema } : {});
  return { name, description, parameters };
}

/** What model APIs take as a name. */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

export function readName({ name }: JsonObject): string {
  if (typeof name === "string" && namePattern.test(name)) return name;
  const shown = typeof name === "string" ? `"${name.slice(0, 100)}"` : "missing";
  throw refuse(
    "json_schema",
    `the tool's name is ${shown}; it must be 1 to 64 letters, digits, "_" or "-", in json_schema.name or as the name of ` +
      "the function",
  );
}

/** Models can fill in objects only. */
export function rejectOddSchema({ parameters }: JsonObject): void {
  if (parameters === undefined || parameters === null) return;
  const isObject = typeof parameters === "object" && !Array.isArray(parameters);
  const type = isObject ? (parameters as JsonObject).type : undefined;
  if (isObject && (type === undefined || type === "object")) return;
  throw refuse("json_schema", 'json_schema.parameters must be the schema of an object: {"type": "object", …}');
}

export function readDescription({ description }: JsonObject): string | null {
  return typeof description === "string" ? description : null;
}

const builtinNames: ReadonlySet<string> = new Set([
  ...builtinTools.map(({ name }) => name),
  ...builtinExecutors.keys(),
]);

/** Nobody takes over the name that agents know another tool by. */
export function rejectTakenName(name: string, holder: Pick<Tool, "kind"> | undefined): void {
  const owner = builtinNames.has(name)
    ? "a tool that comes with the server"
    : holder?.kind === hostToolKind
      ? "a tool of the program the server runs in"
      : holder && holder.kind !== customToolKind
        ? `a tool of another kind (${holder.kind})`
        : undefined;
  if (owner === undefined) return;
  throw new MemoirError("conflict", `the name "${name}" belongs to ${owner}: give yours another name`, {
    details: { entity: "tool", field: "name" },
  });
}

/** Only the program that offers a host tool can take it away. */
export function rejectHosted({ name, kind }: Tool): void {
  if (kind !== hostToolKind) return;
  throw refuse(
    "tool_id",
    `"${name}" belongs to the program the server runs in and cannot be deleted; detach it from an agent that is not to use it`,
  );
}

export function hashTool(tool: Pick<Tool, "source" | "sourceKind" | "pipRequirements" | "npmRequirements">): string {
  const { source, sourceKind, pipRequirements, npmRequirements } = tool;
  const packages = [...(pipRequirements ?? []), ...(npmRequirements ?? [])];
  const parts = [
    source ?? "",
    sourceKind === "json" ? "" : (sourceKind ?? ""),
    packages.length === 0 ? "" : JSON.stringify([pipRequirements, npmRequirements]),
  ];
  return createHash("sha256").update(parts.join("|")).digest("hex").slice(0, 12);
}

export function refuse(field: string, message: string): MemoirError {
  return new MemoirError("invalid-argument", message, { details: { field } });
}
