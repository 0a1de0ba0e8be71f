/** Elements as Markdown: headings, paragraphs, lists, tables, code and links, in the order of the page. */
import { type HtmlElement, type HtmlNode, isSeen } from "./html-tree.ts";
import { isAround } from "./main-content.ts";

/** More than any model reads of one page. */
const maxCharacters = 1_000_000;
const longestLink = 500;
/** Deeper lists and quotes are not moved in any further. */
const maxIndents = 5;

const blockNames: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote center dd details dl dt div fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hr li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

interface Writing {
  readonly base: URL;
  left: number;
}

export function toMarkdown(element: HtmlElement, base: URL): string {
  return writeBlocks(element.children, { base, left: maxCharacters }, 0).join("\n\n");
}

/** Blocks one after another; what stands between them is a paragraph of its own. */
function writeBlocks(nodes: readonly HtmlNode[], writing: Writing, indents: number): string[] {
  const written: string[] = [];
  let run: HtmlNode[] = [];
  const flush = () => {
    const text = tidy(run.map((node) => writeInline(node, writing)).join(""));
    run = [];
    if (text !== "") written.push(text);
  };
  for (const node of nodes) {
    if (writing.left <= 0) break;
    if (typeof node !== "string" && (blockNames.has(node.name) || hasBlocks(node))) {
      flush();
      written.push(...writeBlock(node, writing, indents));
    } else run.push(node);
  }
  flush();
  return written;
}

/** Links and emphasis around whole blocks are passed over. */
function hasBlocks({ children }: HtmlElement): boolean {
  return children.some((child) => typeof child !== "string" && blockNames.has(child.name));
}

function writeBlock(element: HtmlElement, writing: Writing, indents: number): string[] {
  const { name, children } = element;
  if (!isSeen(element) || isAround(element)) return [];
  const inner = () => writeBlocks(children, writing, indents);
  if (/^h[1-6]$/.test(name)) {
    const text = inner().join(" ").replaceAll(/\s+/g, " ");
    return text === "" ? [] : [`${"#".repeat(Number(name[1]))} ${text}`];
  }
  switch (name) {
    case "hr":
      return ["---"];
    case "pre":
      return writeCode(element, writing);
    case "ul":
    case "ol":
    case "menu":
      return writeList(element, writing, indents);
    case "blockquote":
      return indent(writeBlocks(children, writing, indents + 1), "> ", "> ", indents);
    case "table":
      return writeTable(element, writing, indents);
    default:
      return inner();
  }
}

function writeCode(element: HtmlElement, writing: Writing): string[] {
  const text = textOf(element, writing).replace(/^\n+/, "").trimEnd();
  return text === "" ? [] : [`\`\`\`\n${text}\n\`\`\``];
}

function writeList({ name, children }: HtmlElement, writing: Writing, indents: number): string[] {
  const items = children.filter((child) => typeof child !== "string");
  const lines = items.flatMap((item, index) => {
    if (!isSeen(item)) return [];
    const mark = name === "ol" ? `${index + 1}. ` : "- ";
    return indent(
      writeBlock({ ...item, name: "li" }, writing, indents + 1),
      mark,
      " ".repeat(mark.length),
      indents,
      "\n",
    );
  });
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function indent(blocks: readonly string[], first: string, others: string, indents: number, gap = "\n\n"): string[] {
  if (blocks.length === 0) return [];
  const text = blocks.join(gap);
  if (indents >= maxIndents) return [text];
  return [first + text.replaceAll("\n", `\n${others}`)];
}

/** Tables of more than one column; those of one are there for the layout. */
function writeTable(table: HtmlElement, writing: Writing, indents: number): string[] {
  const rows = listRows(table).map((row) => row.filter(isSeen));
  if (rows.some((row) => row.some((cell) => listRows(cell).length > 0)) || rows.every((row) => row.length < 2)) {
    return rows.flat().flatMap((cell) => writeBlocks(cell.children, writing, indents));
  }
  const lines = rows
    .filter((row) => row.length > 0)
    .map((row) =>
      row.map((cell) =>
        writeBlocks(cell.children, writing, maxIndents)
          .join(" ")
          .split("\n")
          .map((line) => line.trim())
          .filter((line) => line !== "")
          .join(" "),
      ),
    )
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
  const [head, ...others] = lines;
  if (head === undefined) return [];
  const rule = `|${" --- |".repeat(rows.find((row) => row.length > 0)?.length ?? 1)}`;
  return [[head, rule, ...others].join("\n")];
}

/** Its own, not those of tables inside its cells. */
function listRows({ children }: HtmlElement): HtmlElement[][] {
  const elements = children.filter((child) => typeof child !== "string");
  return elements.flatMap((child) => {
    if (child.name === "tr") {
      return [child.children.filter((cell) => typeof cell !== "string" && /^t[dh]$/.test(cell.name)) as HtmlElement[]];
    }
    return /^(tbody|thead|tfoot|table)$/.test(child.name) && isSeen(child) ? listRows(child) : [];
  });
}

function writeInline(node: HtmlNode, writing: Writing): string {
  if (writing.left <= 0) return "";
  if (typeof node === "string") return take(node.replaceAll(/\s+/g, " "), writing);
  if (!isSeen(node) || isAround(node)) return "";
  const { name, attributes, children } = node;
  if (name === "br") return "\n";
  if (name === "img") {
    const alt = attributes.get("alt")?.replaceAll(/\s+/g, " ").trim();
    return alt ? take(`[image: ${alt}]`, writing) : "";
  }
  const text = children.map((child) => writeInline(child, writing)).join("");
  switch (name) {
    case "a":
      return writeLink(text, attributes.get("href"), writing);
    case "strong":
    case "b":
      return wrap(text, "**");
    case "em":
    case "i":
      return wrap(text, "*");
    case "code":
    case "kbd":
    case "samp":
      return wrap(text, "`");
    default:
      return text;
  }
}

function wrap(text: string, mark: string): string {
  const inner = text.trim();
  return inner === "" || inner.includes("\n") ? text : text.replace(inner, () => `${mark}${inner}${mark}`);
}

function writeLink(text: string, href: string | undefined, writing: Writing): string {
  const label = text.trim();
  if (label === "" || href === undefined || href.length > longestLink || href.startsWith("#")) return text;
  const target = URL.parse(href, writing.base.href)?.href;
  if (!target || !/^https?:/.test(target) || target.length > longestLink) return text;
  writing.left -= target.length;
  return `[${label}](${target})`;
}

function textOf(node: HtmlNode, writing: Writing): string {
  if (typeof node === "string") return take(node, writing);
  if (!isSeen(node)) return "";
  return node.name === "br" ? "\n" : node.children.map((child) => textOf(child, writing)).join("");
}

function take(text: string, writing: Writing): string {
  const taken = text.slice(0, Math.max(writing.left, 0));
  writing.left -= taken.length;
  return taken;
}

function tidy(text: string): string {
  return text
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
