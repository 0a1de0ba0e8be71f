/**
 * Core memory as an agent sees it that also has it as a folder of files: blocks under `system/` stand in the prompt as a
 * tree of tags along their paths, each with the file it is; of the others only the names are shown.
 */
import type { Block } from "../store/blocks/blocks.ts";
import { ownTag, type Quote } from "./quote.ts";

const folder = "$MEMORY_DIR";
const externalRoot = "$" + "{MEMORY_DIR}/";
const systemPath = "system/";
const personaLabel = `${systemPath}persona`;
const skillsPath = "skills/";

export interface GitMemory {
  /** With what is in them. */
  readonly memory: string;
  /** By their names. */
  readonly memoryFiles: string;
}

export function compileGitMemory(blocks: readonly Block[], quote: Quote): GitMemory {
  const sorted = [...blocks].sort((left, right) => compare(left.label, right.label));
  const persona = sorted.find(({ label }) => label === personaLabel);
  const shown = sorted.filter(({ label }) => label.startsWith(systemPath) && label !== personaLabel);
  const others = sorted.filter(({ label }) => !label.startsWith(systemPath) && !label.startsWith(skillsPath));
  const self = persona ? ["<self>", ...showFile(persona, quote), "</self>"] : [];
  const tree = shown.length > 0 ? ["<memory>", ...showTree(plant(shown, systemPath), 1, quote), "</memory>"] : [];
  const names =
    others.length > 0
      ? ["<external_projection>", externalRoot, ...drawTree(plant(others, ""), "", quote), "</external_projection>"]
      : [];
  const between = self.length > 0 && tree.length > 0 ? [""] : [];
  return { memory: [...self, ...between, ...tree].join("\n"), memoryFiles: names.join("\n") };
}

/** The names that appear as tags, which stored text must not be able to forge. */
export function gitTagNames(labels: readonly string[]): string[] {
  return labels.flatMap((label) => label.split("/").map(toTagName));
}

interface Tree {
  block: Block | undefined;
  readonly children: Map<string, Tree>;
}

function plant(blocks: readonly Block[], root: string): Tree {
  const tree: Tree = { block: undefined, children: new Map() };
  for (const block of blocks) {
    let place = tree;
    for (const part of block.label.slice(root.length).split("/")) {
      const next: Tree = place.children.get(part) ?? { block: undefined, children: new Map() };
      place.children.set(part, next);
      place = next;
    }
    place.block = block;
  }
  return tree;
}

function showTree(tree: Tree, depth: number, quote: Quote): string[] {
  const indent = "  ".repeat(depth);
  return [...tree.children]
    .sort(([left], [right]) => compare(left, right))
    .flatMap(([name, child]) => [
      `${indent}<${toTagName(name)}>`,
      ...(child.block ? showFile(child.block, quote).map((line) => `${indent}  ${line}`) : []),
      ...showTree(child, depth + 1, quote),
      `${indent}</${toTagName(name)}>`,
    ]);
}

function showFile({ label, description, value }: Block, quote: Quote): string[] {
  return [
    `<projection>${folder}/${quote(oneLine(label))}.md</projection>`,
    ...(description ? [`<description>${quote(oneLine(description))}</description>`] : []),
    quote(value),
  ];
}

function drawTree(tree: Tree, lead: string, quote: Quote): string[] {
  const entries = [...tree.children].flatMap(([name, child]) => [
    ...(child.children.size > 0 ? [{ name: `${name}/`, child }] : []),
    ...(child.block ? [{ name: `${name}.md`, child: undefined }] : []),
  ]);
  entries.sort((left, right) => compare(left.name, right.name));
  return entries.flatMap(({ name, child }, index) => {
    const isLast = index === entries.length - 1;
    const line = `${lead}${isLast ? "└── " : "├── "}${quote(oneLine(name))}`;
    return child ? [line, ...drawTree(child, `${lead}${isLast ? "    " : "│   "}`, quote)] : [line];
  });
}

function toTagName(part: string): string {
  return ownTag(part.replaceAll(/[<>\s/]+/g, "_") || "_");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** By code unit: a locale's order would differ from machine to machine. */
function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
