/** Finds the functions of a Python source: their names, parameters and docstrings. */
import { readStatements, type Statement, type Token } from "./python-statements.ts";
import { sourceError } from "./source-error.ts";

export interface PythonParameter {
  readonly name: string;
  readonly annotation: readonly Token[] | undefined;
  /** What stands behind the equals sign. */
  readonly value: readonly Token[] | undefined;
}

export interface PythonFunction {
  readonly name: string;
  readonly parameters: readonly PythonParameter[];
  readonly docstring: string | undefined;
}

/** Those at the top level, in their order: what is nested, or a method, belongs to something else. */
export function readFunctions(source: string): PythonFunction[] {
  const statements = readStatements(source);
  return statements.flatMap((statement, index) => {
    const start = startOf(statement);
    return start === undefined ? [] : [readFunction(statement, start, statements[index + 1])];
  });
}

/** Where the name stands, if the statement defines a function. */
function startOf({ indent, tokens }: Statement): number | undefined {
  if (indent !== 0) return undefined;
  const [first, second] = tokens.map(({ text }) => text);
  if (first === "def") return 1;
  return first === "async" && second === "def" ? 2 : undefined;
}

function readFunction(header: Statement, start: number, next: Statement | undefined): PythonFunction {
  const { tokens, line } = header;
  const name = tokens[start];
  if (name?.kind !== "name") throw sourceError(`line ${line}: "def" is not followed by a name`);
  const opening = tokens.findIndex(({ text }, index) => index > start && text === "(");
  const closing = opening === -1 ? -1 : findClosing(tokens, opening);
  const colon = closing === -1 ? -1 : findAtTop(tokens, ":", closing);
  if (colon === -1) throw sourceError(`line ${line}: the head of the function "${name.text}" is not complete`);
  const rest = tokens.slice(colon + 1);
  const isBody = rest.length === 0 && next !== undefined && next.indent > 0;
  return {
    name: name.text,
    parameters: readParameters(tokens.slice(opening + 1, closing)),
    docstring: readDocstring(rest.length > 0 ? rest : isBody ? next.tokens : []),
  };
}

/** A statement that is nothing but text. */
function readDocstring(tokens: readonly Token[]): string | undefined {
  const end = tokens.findIndex(({ text }) => text === ";");
  const statement = end === -1 ? tokens : tokens.slice(0, end);
  const texts = statement.map(({ value }) => value);
  if (texts.length === 0 || texts.includes(undefined)) return undefined;
  return texts.join("");
}

/** Marks between parameters are no parameters; `*args` and `**more` take what no schema can name. */
function readParameters(tokens: readonly Token[]): PythonParameter[] {
  return splitAtTop(tokens, ",").flatMap((part) => {
    const [first] = part;
    if (first?.kind !== "name") return [];
    const equals = findAtTop(part, "=");
    const declared = equals === -1 ? part : part.slice(0, equals);
    return [
      {
        name: first.text,
        annotation: declared[1]?.text === ":" ? declared.slice(2) : undefined,
        value: equals === -1 ? undefined : part.slice(equals + 1),
      },
    ];
  });
}

const depthChange = (text: string): number => (/^[([{]$/.test(text) ? 1 : /^[)\]}]$/.test(text) ? -1 : 0);

function findClosing(tokens: readonly Token[], opening: number): number {
  let depth = 0;
  return tokens.findIndex(({ kind, text }, index) => {
    if (index < opening || kind !== "mark") return false;
    depth += depthChange(text);
    return depth === 0;
  });
}

function findAtTop(tokens: readonly Token[], wanted: string, after = -1): number {
  let depth = 0;
  return tokens.findIndex(({ kind, text }, index) => {
    if (index <= after || kind !== "mark") return false;
    depth += depthChange(text);
    return depth === 0 && text === wanted;
  });
}

/** The parts between the marks; an empty one at the end is none. */
export function splitAtTop(tokens: readonly Token[], wanted: string): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === "mark") depth += depthChange(token.text);
    if (depth === 0 && token.kind === "mark" && token.text === wanted) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  if (parts.at(-1)?.length === 0) parts.pop();
  return parts;
}
