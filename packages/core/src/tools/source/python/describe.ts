/** Learns from Python source what a model has to know to call the function in it. */
import type { JsonObject } from "../../../shared/json.ts";
import type { Grammars } from "../grammars.ts";
import type { LanguageReader } from "../language-reader.ts";
import { toObject } from "../schemas.ts";
import { sourceError } from "../source-error.ts";
import type { SourceSchema } from "../source-schema.ts";
import { type Docstring, readDocstring } from "./docstring.ts";
import { rejectFaults } from "./faults.ts";
import { isLiteral } from "./literals.ts";
import type { ReadType } from "./read-type.ts";
import { type PythonFunction, type PythonParameter, type PythonScope, readScope } from "./scope.ts";
import { createTypeReader, type TypeReader } from "./types.ts";

export const pythonReader: LanguageReader = {
  getFunction(root, source, name, grammars) {
    rejectFaults(root, source);
    const scope = readScope(root);
    const found = chooseFunction(scope.functions, name);
    const doc = found.docstring === undefined ? undefined : readDocstring(found.docstring);
    return {
      name: found.name,
      description: doc?.description,
      describe: () => describeFunction(found, doc, scope, grammars),
    };
  },
  listNames: (root) => readScope(root).functions.map(({ name }) => name),
};

/** Helpers may stand before and after the tool, without a docstring. */
function chooseFunction(functions: readonly PythonFunction[], name: string | undefined): PythonFunction {
  const found =
    name === undefined
      ? (functions.findLast(({ docstring }) => docstring !== undefined) ?? functions.at(-1))
      : functions.findLast((item) => item.name === name);
  if (found) return found;
  throw sourceError(
    name === undefined
      ? "there is no function at the top level of the source: write one with def"
      : `there is no function "${name}" at the top level of the source`,
  );
}

function describeFunction(
  { name, line, parameters }: PythonFunction,
  doc: Docstring | undefined,
  scope: PythonScope,
  grammars: Grammars,
): SourceSchema {
  if (!doc || doc.description === "") {
    throw sourceError(`function "${name}" has no docstring: write there what it does and what its arguments are`, line);
  }
  const types = createTypeReader(grammars, scope);
  const properties = new Map<string, JsonObject>();
  const required: string[] = [];
  for (const parameter of parameters.filter((item) => !reserved.has(item.name))) {
    const type = readAnnotation(name, parameter, types);
    properties.set(parameter.name, { ...type.schema, description: describeParameter(name, parameter, type, doc) });
    if (!type.isOptional && !hasDefault(parameter, types)) required.push(parameter.name);
  }
  return { name, description: doc.description, parameters: toObject(properties, required) };
}

/** Filled in by whoever runs the tool, not by the model. */
const reserved: ReadonlySet<string> = new Set(["self", "agent_state", "agent_id"]);

function readAnnotation(
  name: string,
  { name: parameter, annotation, line }: PythonParameter,
  types: TypeReader,
): ReadType {
  const what = `parameter "${parameter}" of function "${name}"`;
  if (!annotation) throw sourceError(`${what} has no type annotation: write for example ${parameter}: str`, line);
  return types.read(annotation, { what, line, depth: 0, trail: [] });
}

function describeParameter(name: string, parameter: PythonParameter, type: ReadType, doc: Docstring): string {
  const description = doc.parameters.get(parameter.name) || type.description;
  if (description) return description;
  throw sourceError(
    `function "${name}" does not describe its parameter "${parameter.name}" in its docstring: ` +
      `write for example "${parameter.name}: what it is" under "Args:"`,
    parameter.line,
  );
}

/** Only what is written out counts. */
function hasDefault({ value }: PythonParameter, types: TypeReader): boolean {
  return value !== undefined && (isLiteral(value) || types.isMember(value));
}
