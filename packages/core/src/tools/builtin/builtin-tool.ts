/** What a builtin tool is: one file that exports one `defineTool`, and one line in `list.ts`. */
import type { Scope } from "../../store/engine/scope.ts";
import type { RunBuiltin, ToolContext, ToolOutput } from "../tool.ts";
import type { ObjectArgument } from "./input.ts";
import type { JsonObjectSchema } from "./json-schema.ts";

/** Which set a tool belongs to. The server maps these to the names older clients know. */
export type BuiltinToolKind = "core" | "memory" | "sleeptime" | "voice" | "multi-agent" | "service" | "files";

/** Why a tool has no function here: an executor runs it outside the commit, or it cannot run yet. */
export type NoRun = "by-executor" | "not-yet";

export interface BuiltinTool {
  readonly name: string;
  readonly kind: BuiltinToolKind;
  readonly description: string;
  readonly parameters: JsonObjectSchema;
  readonly isParallel: boolean;
  readonly run: RunBuiltin | NoRun;
}

export interface BuiltinToolDefinition<T> {
  readonly name: string;
  readonly kind: BuiltinToolKind;
  /** Read by models: what the tool does, when to use it, what comes back, what goes wrong. */
  readonly description: string;
  readonly input: ObjectArgument<T>;
  /** True when calls of one step may run side by side: the tool changes nothing the others read. */
  readonly isParallel?: boolean;
  readonly run: RunTyped<T> | NoRun;
}

/** `RunBuiltin` with the arguments that the tool's input declares. */
export type RunTyped<T> = (scope: Scope, args: T, context: ToolContext) => Promise<ToolOutput>;

export function defineTool<T>(definition: BuiltinToolDefinition<T>): BuiltinTool {
  const { name, kind, description, input, isParallel = false, run } = definition;
  const { schema: parameters } = input;
  return { name, kind, description, parameters, isParallel, run: isNoRun(run) ? run : bindInput(input, run) };
}

function isNoRun<T>(run: RunTyped<T> | NoRun): run is NoRun {
  return typeof run === "string";
}

/** Reads the arguments of each call before `run` gets them. */
export function bindInput<T>(input: ObjectArgument<T>, run: RunTyped<T>): RunBuiltin {
  return async (scope, args, context) => await run(scope, input.read("the arguments", args), context);
}
