/** The source as data, for tests about the source itself: what a file imports, and its code without its comments. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";

export const root = resolve(import.meta.dirname, "../../../..");

export interface ImportedName {
  /** What stands between the quotes; undefined where it is computed at run time. */
  readonly specifier: string | undefined;
  /** Gone once types are stripped. */
  readonly isType: boolean;
}

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly program: ESTree.Program;
  /** Static, type-only and dynamic; `export … from`, `import("…")` as a type and `require` too. */
  readonly imports: readonly ImportedName[];
  /** The text with every comment blanked out, so that positions stay. */
  readonly code: string;
  readonly hasDefaultExport: boolean;
}

/** Every file of `folder` (from the root) that is part of the program: no tests, no recorded streams. */
export function readSources(folder: string): SourceFile[] {
  return listPrograms(folder).map((path) => parseSource(path, readFileSync(join(root, path), "utf8")));
}

export function listPrograms(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !isTest(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.includes("/__fixtures__/"))
    .sort();
}

export function isTest(path: string): boolean {
  return /\.(test|long)\.tsx?$/.test(path);
}

export function parseSource(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`);
  let code = text;
  for (const { start, end } of comments) {
    code = code.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ") + code.slice(end);
  }
  return { path, program, imports: listImports(program), code, hasDefaultExport: exportsDefault(program) };
}

function listImports(program: ESTree.Program): ImportedName[] {
  const imports: ImportedName[] = [];
  const add = (source: ESTree.Node | null | undefined, isType: boolean) => {
    imports.push({ specifier: textOf(source), isType });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source, isTypeImport(node)),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind === "type"),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source, node.exportKind === "type" || node.specifiers.every(isTypeExport));
    },
    ImportExpression: (node) => add(node.source, false),
    TSImportType: (node) => add(node.source, true),
    TSExternalModuleReference: (node) => add(node.expression, false),
    CallExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "require") add(node.arguments[0], false);
    },
  }).visit(program);
  return imports;
}

function isTypeImport(node: ESTree.ImportDeclaration): boolean {
  if (node.importKind === "type") return true;
  return (
    node.specifiers.length > 0 &&
    node.specifiers.every((each) => each.type === "ImportSpecifier" && each.importKind === "type")
  );
}

const isTypeExport = (specifier: ESTree.ExportSpecifier) => specifier.exportKind === "type";

/** The text of a literal, also of one in backquotes with nothing filled in. */
function textOf(node: ESTree.Node | null | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? "";
  return undefined;
}

function exportsDefault(program: ESTree.Program): boolean {
  let isFound = false;
  new Visitor({
    ExportDefaultDeclaration: () => {
      isFound = true;
    },
    ExportSpecifier: ({ exported }) => {
      if ((exported.type === "Literal" ? exported.value : exported.name) === "default") isFound = true;
    },
    TSExportAssignment: () => {
      isFound = true;
    },
  }).visit(program);
  return isFound;
}
