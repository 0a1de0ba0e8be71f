/** What stands at the top level of a Python source: functions, classes, and names for types. */
import type { Node } from "../grammars.ts";
import { field, firstPart, lineOf, partsOf } from "../nodes.ts";
import { readText } from "./literals.ts";

export interface PythonParameter {
  readonly name: string;
  readonly line: number;
  readonly annotation: Node | undefined;
  /** What stands behind the equals sign. */
  readonly value: Node | undefined;
}

export interface PythonFunction {
  readonly name: string;
  readonly line: number;
  readonly docstring: string | undefined;
  readonly parameters: readonly PythonParameter[];
}

export interface PythonScope {
  /** Not those that are nested, nor methods: they belong to something else. */
  readonly functions: readonly PythonFunction[];
  readonly classes: ReadonlyMap<string, Node>;
  /** `Color = Literal["red"]` and its other spellings. */
  readonly aliases: ReadonlyMap<string, Node>;
  /** Names that imports go by here, with their own: `t` for `typing`. */
  readonly imports: ReadonlyMap<string, string>;
}

export function readScope(root: Node): PythonScope {
  const functions: PythonFunction[] = [];
  const classes = new Map<string, Node>();
  const aliases = new Map<string, Node>();
  const imports = new Map<string, string>();
  for (const part of root.namedChildren) {
    const statement = (part.type === "decorated_definition" && field(part, "definition")) || part;
    switch (statement.type) {
      case "function_definition":
        functions.push(readFunction(statement));
        break;
      case "class_definition":
        classes.set(field(statement, "name")?.text ?? "", statement);
        break;
      case "type_alias_statement":
      case "expression_statement":
        for (const [alias, type] of readAlias(statement)) aliases.set(alias, type);
        break;
      case "import_statement":
      case "import_from_statement":
        for (const [alias, path] of readImports(statement)) imports.set(alias, path);
    }
  }
  return { functions, classes, aliases, imports };
}

function readFunction(node: Node): PythonFunction {
  const parameters = field(node, "parameters");
  return {
    name: field(node, "name")?.text ?? "",
    line: lineOf(node),
    docstring: readDocstring(node),
    parameters: parameters ? partsOf(parameters).flatMap(readParameter) : [],
  };
}

/** The text that a body begins with. */
function readDocstring(node: Node): string | undefined {
  const body = field(node, "body");
  const [first] = body ? partsOf(body) : [];
  const text = first?.type === "expression_statement" ? firstPart(first) : undefined;
  return text && /^(string|concatenated_string)$/.test(text.type) ? readText(text) : undefined;
}

/** Marks between parameters are no parameters; `*args` and `**more` take what no schema can name. */
function readParameter(node: Node): PythonParameter[] {
  if (/_splat_pattern$/.test(node.type)) return [];
  const named = node.type === "identifier" ? node : (field(node, "name") ?? firstPart(node));
  if (named?.type !== "identifier") return [];
  return [{ name: named.text, line: lineOf(node), annotation: field(node, "type"), value: field(node, "value") }];
}

function readAlias(statement: Node): [string, Node][] {
  if (statement.type === "type_alias_statement") {
    const [left, right] = [field(statement, "left"), field(statement, "right")];
    return left && right ? [[left.text, right]] : [];
  }
  const assignment = statement.firstNamedChild;
  if (assignment?.type !== "assignment") return [];
  const [left, right] = [field(assignment, "left"), field(assignment, "right")];
  return left?.type === "identifier" && right ? [[left.text, right]] : [];
}

function readImports(statement: Node): [string, string][] {
  const module = field(statement, "module_name")?.text;
  return partsOf(statement).flatMap((part): [string, string][] => {
    if (part.type !== "aliased_import") return [];
    const [name, alias] = [field(part, "name")?.text ?? "", field(part, "alias")?.text ?? ""];
    return [[alias, module === undefined ? name : `${module}.${name}`]];
  });
}
