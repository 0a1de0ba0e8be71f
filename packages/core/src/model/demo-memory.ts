/** What the demo sees of an agent's memory, read back from the system prompt, and how it edits it with what it is given. */
import type { ToolDefinition } from "../shared/content.ts";
import type { JsonObject } from "../shared/json.ts";

export interface SeenBlock {
  readonly label: string;
  readonly value: string;
  readonly isReadOnly: boolean;
}

export function readBlocks(system: string): SeenBlock[] {
  const [, ...sections] = system.split("<memory_blocks>\n");
  const section = sections.at(-1)?.split("\n</memory_blocks>")[0] ?? "";
  const blocks: SeenBlock[] = [];
  for (let found = readBlock(section, 0); found; found = readBlock(section, found.end)) {
    if (found.block) blocks.push(found.block);
  }
  return blocks;
}

const head = ">\n<description>\n";
const middle = "\n</description>\n<metadata>\n";

/** The next block in the form of prompts; between metadata and value may stand more. Undefined when there is none. */
function readBlock(text: string, from: number): { readonly block?: SeenBlock; readonly end: number } | undefined {
  const open = text.indexOf(head, from);
  const described = open < 0 ? -1 : text.indexOf(middle, open);
  const marked = described < 0 ? -1 : text.indexOf("\n</metadata>\n", described);
  const value = marked < 0 ? -1 : text.indexOf("<value>\n", marked);
  const end = value < 0 ? -1 : text.indexOf("</value>\n</", value);
  if (end < 0) return undefined;
  const label = text.slice(text.lastIndexOf("<", open) + 1, open);
  const isBlock = /^[^<>\s/]+$/.test(label) && text.startsWith(`${label}>`, end + "</value>\n</".length);
  if (!isBlock) return { end };
  const written = text.slice(value + "<value>\n".length, end).replace(/\n$/, "");
  const metadata = text.slice(described + middle.length, marked);
  return {
    block: { label, value: written.replaceAll(/^\d+→ ?/gm, ""), isReadOnly: metadata.includes("read_only=true") },
    end,
  };
}

/** Where facts about the user belong: their own block, else the first that may be written and is not the agent's. */
export function chooseBlock(blocks: readonly SeenBlock[]): SeenBlock | undefined {
  const writable = blocks.filter(({ isReadOnly }) => !isReadOnly);
  return writable.find(({ label }) => label === "human") ?? writable.find(({ label }) => label !== "persona");
}

export interface Fact {
  readonly name: string;
  readonly value: string;
  /** A person has one name but likes many things. */
  readonly isSingle: boolean;
}

export function toLine({ name, value }: Fact): string {
  return `${name}: ${value}`;
}

export interface Edit {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** The call that notes the facts; null when all of them are known, undefined when no tool offered can do it. */
export function noteFacts(
  facts: readonly Fact[],
  block: SeenBlock,
  tools: readonly ToolDefinition[],
): Edit | null | undefined {
  const lines = block.value.split("\n");
  const fresh = facts.filter((fact) => !lines.some((line) => isSame(line, toLine(fact))));
  if (fresh.length === 0) return null;
  const outdated = fresh.flatMap((fact) => findOutdated(fact, lines)).find((line) => occursOnce(line, block.value));
  const added = fresh.map(toLine).join("\n");
  if (outdated !== undefined) return replaceText(block, outdated, added, tools);
  return addText(block, added, tools);
}

/** The call that takes a line out of the block again; undefined when it is not there or no tool offered can do it. */
export function dropLine(line: string, block: SeenBlock, tools: readonly ToolDefinition[]): Edit | undefined {
  const forms = [`\n${line}`, `${line}\n`, line];
  const whole = forms.find((form) => occursOnce(form, block.value));
  return whole === undefined ? undefined : replaceText(block, whole, "", tools);
}

export function findLines(block: SeenBlock, words: readonly string[]): string[] {
  return block.value.split("\n").filter((line) => {
    const text = line.toLowerCase();
    return line.trim() !== "" && words.length > 0 && words.every((word) => text.includes(word));
  });
}

function findOutdated({ name, isSingle }: Fact, lines: readonly string[]): string[] {
  return isSingle ? lines.filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `)) : [];
}

function isSame(line: string, other: string): boolean {
  return line.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Exactly once, and without the quoting of the prompt, behind which the stored text may differ. */
function occursOnce(text: string, value: string): boolean {
  return text.trim() !== "" && !text.includes("&lt;") && value.split(text).length === 2;
}

function addText(block: SeenBlock, text: string, tools: readonly ToolDefinition[]): Edit | undefined {
  const { label, value } = block;
  const byTool: Readonly<Record<string, JsonObject>> = {
    memory_insert: { label, new_string: text },
    core_memory_append: { label, content: text },
    memory: { command: "insert", path: `/memories/${label}`, insert_line: -1, insert_text: text },
    ...rewrite(block, value === "" ? text : `${value}\n${text}`),
  };
  const last = value.split("\n").findLast((line) => occursOnce(line, value));
  return pick(byTool, tools) ?? (last === undefined ? undefined : replaceText(block, last, `${last}\n${text}`, tools));
}

function replaceText(block: SeenBlock, old: string, text: string, tools: readonly ToolDefinition[]): Edit | undefined {
  const { label, value } = block;
  return pick(
    {
      memory_replace: { label, old_string: old, new_string: text },
      core_memory_replace: { label, old_content: old, new_content: text },
      memory: { command: "str_replace", path: `/memories/${label}`, old_string: old, new_string: text },
      ...rewrite(block, value.split(old).join(text)),
    },
    tools,
  );
}

/** Only where the prompt shows the text as it is stored. */
function rewrite({ label, value }: SeenBlock, text: string): Readonly<Record<string, JsonObject>> {
  return value.includes("&lt;") ? {} : { memory_rethink: { label, new_memory: text } };
}

/** The first of the ways for which there is a tool. */
function pick(ways: Readonly<Record<string, JsonObject>>, tools: readonly ToolDefinition[]): Edit | undefined {
  const tool = Object.keys(ways).find((name) => tools.some((offered) => offered.name === name));
  return tool === undefined ? undefined : { tool, arguments: ways[tool] ?? {} };
}
