/**
 * HTML as a row of tags and texts. Pages come from anywhere and the program that reads them serves others at the same time,
 * so whatever a page holds it is gone through once, from its beginning to its end.
 */
import { decodeReferences } from "./character-references.ts";

export type HtmlToken =
  | { readonly type: "open"; readonly name: string; readonly attributes: Attributes; readonly isClosed: boolean }
  | { readonly type: "close"; readonly name: string }
  | { readonly type: "text"; readonly text: string };

export type Attributes = ReadonlyMap<string, string>;

/** What is inside them is text, up to their own end. */
const rawNames: ReadonlySet<string> = new Set(["script", "style", "textarea", "title", "xmp", "iframe", "noembed"]);
const letter = /[a-zA-Z]/;

export function* readTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start < 0) return yield* textToken(html.slice(at));
    const next = html[start + 1] ?? "";
    if (next !== "!" && next !== "?" && next !== "/" && !letter.test(next)) {
      yield* textToken(html.slice(at, start + 1));
      at = start + 1;
      continue;
    }
    yield* textToken(html.slice(at, start));
    if (next === "!" || next === "?") {
      at = skipDeclaration(html, start);
      continue;
    }
    const tag = readTag(html, next === "/" ? start + 2 : start + 1);
    if (!tag) return;
    at = tag.end;
    if (next === "/") {
      if (tag.name !== "") yield { type: "close", name: tag.name };
      continue;
    }
    yield { type: "open", name: tag.name, attributes: tag.attributes, isClosed: tag.isClosed };
    if (rawNames.has(tag.name) && !tag.isClosed) {
      const end = findRawEnd(html, tag.name, at);
      yield { type: "text", text: tag.name === "title" ? decodeReferences(html.slice(at, end)) : html.slice(at, end) };
      at = end;
    }
  }
}

function* textToken(text: string): Generator<HtmlToken> {
  if (text !== "") yield { type: "text", text: decodeReferences(text) };
}

/** Comments, doctypes and processing instructions; one without an end takes the rest of the page. */
function skipDeclaration(html: string, start: number): number {
  const [mark, from] = html.startsWith("<!--", start) ? ["-->", start + 4] : [">", start + 2];
  const end = html.indexOf(mark, from);
  return end < 0 ? html.length : end + mark.length;
}

function findRawEnd(html: string, name: string, from: number): number {
  const mark = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  mark.lastIndex = from;
  return mark.exec(html)?.index ?? html.length;
}

interface Tag {
  readonly name: string;
  readonly attributes: Attributes;
  readonly isClosed: boolean;
  readonly end: number;
}

const namePattern = /[^\s/>]*/y;
/** A name, and a value with or without quotes; what is none of that is passed over sign by sign. */
const attributePattern = /([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?/y;
const gapPattern = /[\s/]*/y;

/** Undefined where the page ends inside the tag. */
function readTag(html: string, start: number): Tag | undefined {
  const name = match(namePattern, html, start)?.[0] ?? "";
  const attributes = new Map<string, string>();
  let at = start + name.length;
  while (at < html.length) {
    const gap = match(gapPattern, html, at)?.[0] ?? "";
    at += gap.length;
    if (html[at] === ">") {
      return { name: name.toLowerCase(), attributes, isClosed: gap.endsWith("/"), end: at + 1 };
    }
    const found = match(attributePattern, html, at);
    if (!found) {
      at++;
      continue;
    }
    const [whole, key = "", ...values] = found;
    // The first of a name counts; a page full of them is no page.
    if (attributes.size < maxAttributes && !attributes.has(key.toLowerCase())) {
      attributes.set(key.toLowerCase(), decodeReferences(values.find((value) => value !== undefined) ?? ""));
    }
    at += whole.length;
  }
  return undefined;
}

const maxAttributes = 100;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
