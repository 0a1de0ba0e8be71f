/** Which part of a page is what it is about, and not what stands around it on every page of the site. */
import { type HtmlElement, isSeen } from "./html-tree.ts";

interface Measure {
  /** Characters of text. */
  readonly text: number;
  /** Those of them that are in links. */
  readonly linked: number;
}

const aroundNames: ReadonlySet<string> = new Set(["nav", "aside", "footer", "form", "menu"]);
const aroundRoles: ReadonlySet<string> = new Set(["navigation", "banner", "contentinfo", "complementary", "search"]);

/** Stands around the content, wherever it is found. */
export function isAround({ name, attributes }: HtmlElement): boolean {
  return aroundNames.has(name) || aroundRoles.has(attributes.get("role")?.toLowerCase() ?? "");
}

const paragraphNames: ReadonlySet<string> = new Set(["p", "pre", "blockquote", "td", "li", "dd"]);
const fewestCharacters = 200;
/** Less than this share of the page is a part of its content. */
const leastShare = 0.4;

export function findMainContent(body: HtmlElement): HtmlElement {
  const measures = new Map<HtmlElement, Measure>();
  const scores = new Map<HtmlElement, number>();
  const marked: HtmlElement[] = [];
  visit(body, [], { measures, scores, marked });
  const whole = proseOf(measures.get(body));
  const isEnough = (element: HtmlElement, least: number) => proseOf(measures.get(element)) >= least;
  const named = marked.find((element) => isEnough(element, Math.min(fewestCharacters, whole)) && whole > 0);
  if (named) return named;
  const [best] = [...scores].sort(([, left], [, right]) => right - left)[0] ?? [];
  return best && isEnough(best, Math.max(fewestCharacters, whole * leastShare)) ? best : body;
}

const proseOf = ({ text, linked }: Measure = { text: 0, linked: 0 }): number => text - linked;

interface Findings {
  readonly measures: Map<HtmlElement, Measure>;
  readonly scores: Map<HtmlElement, number>;
  readonly marked: HtmlElement[];
}

/** A paragraph speaks for the element it is in, and half as much for the one around that. */
function visit(element: HtmlElement, parents: readonly HtmlElement[], findings: Findings): Measure {
  const { measures, scores, marked } = findings;
  let text = 0;
  let linked = 0;
  const below = [element, ...parents.slice(0, 1)];
  for (const child of element.children) {
    if (typeof child === "string") {
      text += child.trim().length;
      continue;
    }
    if (!isSeen(child) || isAround(child)) continue;
    const measure = visit(child, below, findings);
    text += measure.text;
    linked += child.name === "a" ? measure.text : measure.linked;
  }
  const measure = { text, linked };
  measures.set(element, measure);
  if (isMain(element)) marked.push(element);
  if (paragraphNames.has(element.name) && proseOf(measure) > 25) {
    parents.forEach((parent, index) => {
      scores.set(parent, (scores.get(parent) ?? 0) + proseOf(measure) / (index + 1));
    });
  }
  return measure;
}

function isMain({ name, attributes }: HtmlElement): boolean {
  return name === "main" || attributes.get("role")?.toLowerCase() === "main";
}
