/** HTML as a tree of what a reader could see. Deep nesting is flattened: nobody reads it, and everything here goes down. */
import { type Attributes, type HtmlToken, readTokens } from "./html-tokens.ts";

export interface HtmlElement {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: HtmlNode[];
}

export type HtmlNode = HtmlElement | string;

export interface HtmlPage {
  readonly body: HtmlElement;
  readonly title: string | undefined;
  /** By name or property, in lower case. */
  readonly metas: ReadonlyMap<string, string>;
}

const maxDepth = 150;
const maxNodes = 300_000;

const voidNames: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** Not for readers, with all that is in them. */
const unseenNames: ReadonlySet<string> = new Set(
  "script style noscript template svg math iframe object canvas audio video select textarea button dialog noembed".split(
    " ",
  ),
);

const blocks =
  "p div section article main aside header footer nav ul ol dl table pre blockquote h1 h2 h3 h4 h5 h6 hr form";

/** Elements that end where one of these begins. */
const endedBy: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    p: blocks,
    li: "li",
    dt: "dt dd",
    dd: "dt dd",
    tr: "tr tbody tfoot",
    td: "td th tr tbody tfoot",
    th: "td th tr tbody tfoot",
    thead: "tbody tfoot",
    option: "option",
    head: `body ${blocks}`,
  }).map(([name, others]) => [name, new Set(others.split(" "))]),
);

export function parseHtml(html: string): HtmlPage {
  const body: HtmlElement = { name: "body", attributes: new Map(), children: [] };
  const stack: HtmlElement[] = [body];
  const open = new Map<string, number>();
  const metas = new Map<string, string>();
  let title: string | undefined;
  let nodes = 0;

  const pop = () => {
    const { name } = stack.pop() as HtmlElement;
    open.set(name, (open.get(name) ?? 1) - 1);
  };
  const openElement = ({ name, attributes, isClosed }: Extract<HtmlToken, { type: "open" }>) => {
    if (name === "meta") readMeta(attributes, metas);
    for (let top = stack.at(-1); stack.length > 1 && top && endedBy.get(top.name)?.has(name); top = stack.at(-1)) pop();
    if (stack.length > maxDepth || name === "html" || name === "body") return;
    const element: HtmlElement = { name, attributes, children: [] };
    stack.at(-1)?.children.push(element);
    if (isClosed || voidNames.has(name)) return;
    stack.push(element);
    open.set(name, (open.get(name) ?? 0) + 1);
  };
  const closeElement = (name: string) => {
    if ((open.get(name) ?? 0) === 0) return;
    while (stack.length > 1 && stack.at(-1)?.name !== name) pop();
    if (stack.length > 1) pop();
  };

  for (const token of readTokens(html)) {
    if (++nodes > maxNodes) break;
    if (token.type === "open") openElement(token);
    else if (token.type === "close") closeElement(token.name);
    else if (stack.at(-1)?.name === "title") title ??= token.text.replaceAll(/\s+/g, " ").trim();
    else stack.at(-1)?.children.push(token.text);
  }
  return { body, title: title || undefined, metas };
}

function readMeta(attributes: Attributes, metas: Map<string, string>): void {
  const name = attributes.get("property") ?? attributes.get("name") ?? attributes.get("itemprop");
  const content = attributes.get("content")?.trim();
  if (name && content && !metas.has(name.toLowerCase())) metas.set(name.toLowerCase(), content);
}

/** What is hidden from people is kept from models too: it is where pages put words for them alone. */
export function isSeen({ name, attributes }: HtmlElement): boolean {
  if (unseenNames.has(name) || name === "head" || attributes.has("hidden")) return false;
  if (attributes.get("aria-hidden")?.toLowerCase() === "true") return false;
  const style = attributes.get("style");
  return (
    style === undefined || !/(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]))/i.test(style)
  );
}
