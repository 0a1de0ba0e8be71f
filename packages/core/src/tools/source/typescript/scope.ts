/** What stands at the top level of a TypeScript source: functions, and types with names. */
import type { Node } from "../grammars.ts";
import { field, firstPart, lineOf, partsOf } from "../nodes.ts";
import { type Comment, findComment } from "./comments.ts";

export interface TypescriptFunction {
  readonly name: string;
  readonly line: number;
  readonly comment: Comment | undefined;
  readonly parameters: readonly Node[];
  readonly isExported: boolean;
  /** Written with `function`, and with the type of what it returns. */
  readonly isDeclared: boolean;
}

export interface TypescriptScope {
  readonly functions: readonly TypescriptFunction[];
  /** Interfaces, type aliases and enums; an interface may be written in several pieces. */
  readonly types: ReadonlyMap<string, readonly Node[]>;
  /** What constants are set to, for `typeof`. */
  readonly constants: ReadonlyMap<string, Node>;
}

export function readScope(root: Node): TypescriptScope {
  const functions: TypescriptFunction[] = [];
  const types = new Map<string, Node[]>();
  const constants = new Map<string, Node>();
  const exported = new Map<string, string>();
  for (const statement of partsOf(root)) {
    for (const [name, alias] of readExports(statement)) exported.set(name, alias);
    const declaration = (statement.type === "export_statement" && field(statement, "declaration")) || statement;
    if (/^(interface|type_alias|enum)_declaration$/.test(declaration.type)) {
      const name = field(declaration, "name")?.text ?? "";
      const pieces = types.get(name);
      if (pieces) pieces.push(declaration);
      else types.set(name, [declaration]);
    }
    for (const [constant, value] of readConstants(declaration)) constants.set(constant, value);
    functions.push(...readFunctions(statement, declaration));
  }
  return { functions: functions.map((item) => exportFunction(item, exported)), types, constants };
}

function exportFunction(item: TypescriptFunction, exported: ReadonlyMap<string, string>): TypescriptFunction {
  const alias = exported.get(item.name);
  if (alias === undefined) return item;
  return { ...item, name: alias === "default" ? item.name : alias, isExported: true };
}

/** `export { find as findOrder }`. */
function readExports(statement: Node): [string, string][] {
  const clause = statement.type === "export_statement" ? partsOf(statement)[0] : undefined;
  if (clause?.type !== "export_clause" || field(statement, "source")) return [];
  return partsOf(clause).map((part) => {
    const name = field(part, "name")?.text ?? "";
    return [name, field(part, "alias")?.text ?? name];
  });
}

function readConstants(declaration: Node): [string, Node][] {
  if (declaration.type !== "lexical_declaration") return [];
  return partsOf(declaration).flatMap((part): [string, Node][] => {
    const [name, value] = [field(part, "name"), field(part, "value")];
    return name?.type === "identifier" && value ? [[name.text, unwrap(value)]] : [];
  });
}

/** Without the brackets and types around it. */
function unwrap(value: Node): Node {
  let inner = value;
  while (/^(parenthesized|as|satisfies)_expression$/.test(inner.type)) {
    const next = firstPart(inner);
    if (!next) break;
    inner = next;
  }
  return inner;
}

function readFunctions(statement: Node, declaration: Node): TypescriptFunction[] {
  const own: [string, Node][] = /^(generator_)?function_declaration$/.test(declaration.type)
    ? [[field(declaration, "name")?.text ?? "", declaration]]
    : readConstants(declaration).filter(([, value]) => /^(arrow_function|function_expression)$/.test(value.type));
  return own.map(([name, node]) => ({
    name,
    line: lineOf(statement),
    comment: findComment(statement),
    parameters: listParameters(node),
    isExported: statement.type === "export_statement",
    isDeclared: node === declaration && field(node, "return_type") !== undefined,
  }));
}

function listParameters(node: Node): Node[] {
  const list = field(node, "parameters");
  const only = field(node, "parameter");
  return list ? partsOf(list) : only ? [only] : [];
}
