/** Values that are written out in Python source. What has to be computed is known only when it runs. */
import type { JsonValue } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { field, partsOf } from "../nodes.ts";

const words: Readonly<Record<string, JsonValue>> = { true: true, false: false, none: null };

/** Undefined for what is no plain value: lists and dictionaries too. */
export function readLiteral(node: Node): JsonValue | undefined {
  switch (node.type) {
    case "string":
    case "concatenated_string":
      return readText(node);
    case "integer":
    case "float":
      return readNumber(node.text);
    case "true":
    case "false":
    case "none":
      return words[node.type];
    case "unary_operator": {
      const argument = field(node, "argument");
      const value = argument && /^(integer|float)$/.test(argument.type) ? readNumber(argument.text) : undefined;
      return value !== undefined && node.text.startsWith("-") ? -value : undefined;
    }
    default:
      return undefined;
  }
}

function readNumber(text: string): number | undefined {
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) && (Number.isSafeInteger(value) || /[.e]/i.test(text)) ? value : undefined;
}

/** Values side by side or inside one another, as deep as anybody writes them. */
export function isLiteral(node: Node, depth = 0): boolean {
  if (depth > 50) return false;
  if (/^(list|tuple|set|dictionary|pair|parenthesized_expression)$/.test(node.type)) {
    return partsOf(node).every((part) => isLiteral(part, depth + 1));
  }
  if (node.type === "unary_operator") return /^(integer|float)$/.test(field(node, "argument")?.type ?? "");
  if (node.type === "string") return !/^[rb]*[ft]/i.test(node.text);
  if (node.type === "concatenated_string") return partsOf(node).every((part) => isLiteral(part, depth + 1));
  return /^(integer|float|true|false|none)$/.test(node.type);
}

/** What a text says; undefined for bytes and for texts with something to compute in them. */
export function readText(node: Node): string | undefined {
  if (node.type === "parenthesized_expression") {
    const [inner] = partsOf(node);
    return inner && readText(inner);
  }
  const pieces = node.type === "concatenated_string" ? partsOf(node) : [node];
  const texts = pieces.map((piece) => (piece.type === "string" ? readPiece(piece.text) : undefined));
  return texts.includes(undefined) ? undefined : texts.join("");
}

function readPiece(written: string): string | undefined {
  const [whole, prefix = "", quote = "", body = ""] = /^([a-z]*)("""|'''|"|')([\s\S]*)\2$/i.exec(written) ?? [];
  if (whole === undefined || quote === "" || /[bft]/i.test(prefix)) return undefined;
  return /r/i.test(prefix) ? body : readEscapes(body);
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
  "0": "\0",
};

function readEscapes(body: string): string {
  return body.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U000([0-9a-f]{5})|(\r\n|[\s\S]))/gi,
    (whole, two, four, five, one) => {
      const code = two ?? four ?? five;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16) % 0x110000);
      return escapes[one === "\r\n" ? "\n" : one] ?? (/["'\\]/.test(one) ? one : whole);
    },
  );
}
