/** Learns from a tool's source what a model has to know to call it. The source is read, never run. */
import type { JsonObject } from "../../json.ts";
import { readDocstring } from "./docstring.ts";
import { type PythonFunction, type PythonParameter, readFunctions } from "./python-functions.ts";
import { isLiteral, readType } from "./python-types.ts";
import { inlineReferences } from "./references.ts";
import { sourceError } from "./source-error.ts";

export interface SourceSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export interface DescribeOptions {
  /** Which function is meant; otherwise the last one with a docstring. */
  readonly name?: string;
  /** The schema of the arguments; the function's own parameters are then not looked at. */
  readonly argsSchema?: JsonObject;
}

/** Filled in by whoever runs the tool, not by the model. */
const reserved: ReadonlySet<string> = new Set(["self", "agent_state", "agent_id"]);

/** Throws with what is missing when the source does not say enough. */
export function describeSource(kind: string, source: string, options: DescribeOptions = {}): SourceSchema {
  if (kind !== "python") throw sourceError(`of ${kind} source nothing can be derived: send json_schema`);
  const found = chooseFunction(readFunctions(source), options);
  const doc = found.docstring === undefined ? undefined : readDocstring(found.docstring);
  const { argsSchema } = options;
  if (argsSchema) {
    const description = doc?.description || `Runs the function ${found.name}.`;
    return { name: found.name, description, parameters: inlineReferences(argsSchema) };
  }
  if (!doc || doc.description === "") {
    throw sourceError(`function "${found.name}" has no docstring: write there what it does and what its arguments are`);
  }
  return { name: found.name, description: doc.description, parameters: describeParameters(found, doc.parameters) };
}

/** Whether the source has a function of this name where a tool's function stands. */
export function hasFunction(source: string, name: string): boolean {
  return readFunctions(source).some((item) => item.name === name);
}

function chooseFunction(functions: readonly PythonFunction[], { name }: DescribeOptions): PythonFunction {
  const found =
    name === undefined
      ? (functions.findLast(({ docstring }) => docstring !== undefined) ?? functions.at(-1))
      : functions.findLast((item) => item.name === name);
  if (found) return found;
  throw sourceError(
    name === undefined ? "there is no function at the top level of the source" : `there is no function "${name}"`,
  );
}

function describeParameters({ name, parameters }: PythonFunction, texts: ReadonlyMap<string, string>): JsonObject {
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  for (const parameter of parameters.filter((item) => !reserved.has(item.name))) {
    const { schema, isOptional } = readAnnotation(name, parameter);
    const description = texts.get(parameter.name);
    if (!description) {
      throw sourceError(`function "${name}" does not describe its parameter "${parameter.name}" in its docstring`);
    }
    properties[parameter.name] = { ...schema, description };
    const hasDefault = parameter.value !== undefined && isLiteral(parameter.value);
    if (!isOptional && !hasDefault) required.push(parameter.name);
  }
  return { type: "object", properties, required };
}

function readAnnotation(name: string, { name: parameter, annotation }: PythonParameter) {
  const where = `parameter "${parameter}" of function "${name}"`;
  if (!annotation) throw sourceError(`${where} has no type annotation: write for example ${parameter}: str`);
  return readType(annotation, where);
}
