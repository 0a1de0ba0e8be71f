/** Cuts Python source into statements of tokens. Nothing is run, and nothing but the words and their order is understood. */
import { sourceError } from "./source-error.ts";

export interface Token {
  readonly kind: "name" | "number" | "string" | "mark";
  readonly text: string;
  readonly line: number;
  /** What a string says; undefined for one that is no plain text. */
  readonly value?: string;
}

export interface Statement {
  /** Width of the white space before it. */
  readonly indent: number;
  readonly line: number;
  readonly tokens: readonly Token[];
}

const patterns = {
  blank: /[ \t\f]+|#[^\n]*|\\\r?\n/y,
  newline: /\r?\n|\r/y,
  name: /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy,
  number: /\.?\d[\w.]*/y,
  mark: /->|:=|\.\.\.|[*/<>]{2}=?|[-+*/%&|^@=!<>]=|\S/uy,
} as const;
const kinds = Object.keys(patterns) as (keyof typeof patterns)[];

const quote = /([rbuft]{0,2})("""|'''|"|')/iy;
const closings: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

export function readStatements(source: string): Statement[] {
  const statements: Statement[] = [];
  const open: Token[] = [];
  let tokens: Token[] = [];
  let indent = 0;
  const endStatement = () => {
    if (tokens[0]) statements.push({ indent, line: tokens[0].line, tokens });
    tokens = [];
    indent = 0;
  };
  for (const piece of readPieces(source)) {
    if (piece.kind === "blank") {
      if (tokens.length === 0 && piece.text.trim() === "") indent += widthOf(piece.text);
    } else if (piece.kind === "newline") {
      if (open.length === 0) endStatement();
    } else {
      const token = piece as Token;
      if (token.kind === "mark") followBrackets(open, token);
      tokens.push(token);
    }
  }
  const unclosed = open.at(-1);
  if (unclosed) throw sourceError(`line ${unclosed.line}: "${unclosed.text}" is never closed`);
  endStatement();
  return statements;
}

type Piece = Omit<Token, "kind"> & { readonly kind: Token["kind"] | "blank" | "newline" };

/** All of the source, piece by piece. */
function* readPieces(source: string): Generator<Piece> {
  for (let [at, line] = [0, 1]; at < source.length; ) {
    const piece = readString(source, at, line) ?? readPiece(source, at, line);
    yield piece;
    at += piece.text.length;
    line += piece.text.split(/\r\n|\n|\r/).length - 1;
  }
}

function readPiece(source: string, at: number, line: number): Piece {
  for (const kind of kinds) {
    const [text] = matchAt(patterns[kind], source, at) ?? [];
    if (text !== undefined) return { kind, text, line };
  }
  // White space that Python does not know.
  return { kind: "blank", text: source.charAt(at), line };
}

function readString(source: string, at: number, line: number): Token | undefined {
  const [opening, prefix = "", mark = ""] = matchAt(quote, source, at) ?? [];
  if (opening === undefined) return undefined;
  const start = at + opening.length;
  const end = findEnd(source, start, mark, line);
  const value = readText(prefix.toLowerCase(), source.slice(start, end));
  return {
    kind: "string",
    text: source.slice(at, end + mark.length),
    line,
    ...(value === undefined ? {} : { value }),
  };
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function followBrackets(open: Token[], token: Token): void {
  if (token.text in closings) open.push(token);
  if (!Object.values(closings).includes(token.text)) return;
  const opening = open.pop();
  if (opening && closings[opening.text] === token.text) return;
  throw sourceError(`line ${token.line}: "${token.text}" closes nothing that was opened`);
}

/** A tab reaches to the next multiple of eight, as Python counts. */
function widthOf(space: string): number {
  let width = 0;
  for (const character of space) width = character === "\t" ? (Math.floor(width / 8) + 1) * 8 : width + 1;
  return width;
}

function findEnd(source: string, from: number, mark: string, line: number): number {
  const isLong = mark.length === 3;
  for (let at = from; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source.startsWith(mark, at)) return at;
    else if (!isLong && source[at] === "\n") break;
  }
  throw sourceError(`line ${line}: a text that begins with ${mark} is never closed`);
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\n": "",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
};

function readText(prefix: string, body: string): string | undefined {
  if (/[bft]/.test(prefix)) return undefined;
  if (prefix.includes("r")) return body;
  return body.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U000([0-9a-f]{5})|([\s\S]))/gi,
    (whole, two, four, five, one) => {
      const code = two ?? four ?? five;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16) % 0x110000);
      return escapes[one] ?? (/["'\\]/.test(one) ? one : whole);
    },
  );
}
