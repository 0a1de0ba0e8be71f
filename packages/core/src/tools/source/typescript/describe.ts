/** Learns from TypeScript source what a model has to know to call the function in it. */
import type { Node } from "../grammars.ts";
import type { LanguageReader } from "../language-reader.ts";
import { field, findFault, firstPart, lineOf, shorten } from "../nodes.ts";
import { toObject } from "../schemas.ts";
import { sourceError } from "../source-error.ts";
import { type SourceSchema, stockDescription } from "../source-schema.ts";
import { findUnclosed } from "../unclosed.ts";
import { describeProperties } from "./property-texts.ts";
import { readScope, type TypescriptFunction, type TypescriptScope } from "./scope.ts";
import { createTypeReader, type ReadType, type TypeReader } from "./types.ts";

export const typescriptReader: LanguageReader = {
  getFunction(root, source, name) {
    rejectFaults(root, source);
    const scope = readScope(root);
    const found = chooseFunction(scope.functions, name);
    return {
      name: found.name,
      description: found.comment?.description,
      describe: () => describeFunction(found, scope),
    };
  },
  listNames: (root) => readScope(root).functions.map(({ name }) => name),
};

const marks =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|["'`()[\]{}]/g;

/** The grammar does not know text`…` with the type of its result before the text, and supposes a mark that nobody forgets. */
const isGap = (fault: Node): boolean => fault.isMissing && fault.type === "!";

function rejectFaults(root: Node, source: string): void {
  const fault = findFault(root, isGap);
  if (!fault) return;
  const shown = shorten(fault.text.split("\n", 1)[0] ?? "");
  const problem = fault.isMissing ? `"${fault.type}" is missing` : `"${shown}" is no TypeScript`;
  const [text, line] = findUnclosed(source, marks) ?? [problem, lineOf(fault)];
  throw sourceError(`${text}: correct it, or send json_schema`, line);
}

/** The first that is exported, declared functions that say what they return before others. */
function chooseFunction(functions: readonly TypescriptFunction[], name: string | undefined): TypescriptFunction {
  if (name !== undefined) {
    const named = functions.findLast((item) => item.name === name);
    if (named) return named;
    throw sourceError(`there is no function "${name}" at the top level of the source`);
  }
  const exported = functions.filter(({ isExported }) => isExported);
  const found = exported.find(({ isDeclared }) => isDeclared) ?? exported[0];
  if (found) return found;
  const [hidden] = functions;
  if (hidden) throw sourceError(`function "${hidden.name}" is not exported: write export before it`, hidden.line);
  throw sourceError("there is no exported function in the source: write one with export function");
}

interface Parameter {
  readonly name: string;
  readonly type: ReadType;
  readonly mayBeLeftOut: boolean;
}

function describeFunction({ name, comment, parameters }: TypescriptFunction, scope: TypescriptScope): SourceSchema {
  const types = createTypeReader(scope);
  const read = parameters.flatMap((node) => readParameter(name, node, types));
  // What stands before an argument that is needed cannot be left out either.
  const lastNeeded = read.findLastIndex(({ mayBeLeftOut }) => !mayBeLeftOut);
  const texts = comment?.parameters ?? new Map();
  const properties = read.map((item) => [item.name, describeProperties(item.name, item.type.schema, texts)] as const);
  const required = read.slice(0, lastNeeded + 1).map((item) => item.name);
  const description = comment?.description || stockDescription(name);
  return { name, description, parameters: toObject(properties, required) };
}

/** `this` is no argument, and `...rest` takes what no schema can name. */
function readParameter(owner: string, node: Node, types: TypeReader): Parameter[] {
  const pattern = node.type === "identifier" ? node : field(node, "pattern");
  const line = lineOf(node);
  if (!pattern || /^(this|rest_pattern)$/.test(pattern.type)) return [];
  if (pattern.type !== "identifier") {
    throw sourceError(
      `a parameter of function "${owner}" is taken apart where it is declared: give it a name, and take it apart inside`,
      line,
    );
  }
  const what = `parameter "${pattern.text}" of function "${owner}"`;
  const [annotation, value] = [field(node, "type"), field(node, "value")];
  const written = annotation && firstPart(annotation);
  const type = written ? types.read(written, { what, line, depth: 0, trail: [] }) : value && types.findTypeOf(value);
  if (!type) throw sourceError(`${what} has no type: write for example ${pattern.text}: string`, line);
  const mayBeLeftOut = node.type === "optional_parameter" || value !== undefined || type.isOptional;
  return [{ name: pattern.text, type, mayBeLeftOut }];
}
