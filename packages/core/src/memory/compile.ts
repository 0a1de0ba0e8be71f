/**
 * Turns an agent's instructions and memory into the system message. Stored text cannot forge structure: the `<` of any
 * tag that we write ourselves becomes `&lt;` inside values, descriptions and labels; all else stands byte for byte.
 */
import type { AgentKind } from "../shared/agent-kinds.ts";
import type { ToolRule } from "../shared/tool-rules.ts";
import type { Block } from "../store/blocks/blocks.ts";
import type { Directory } from "../store/files/directories.ts";
import { compileDirectories, type DirectoryLimits } from "./compile-directories.ts";
import { compileGitMemory, gitTagNames } from "./compile-git.ts";
import { createQuote, ownTag, type Quote } from "./quote.ts";
import { formatPromptTime } from "./time.ts";

export interface PromptInput {
  readonly agentId: string;
  readonly kind: AgentKind;
  readonly system: string;
  readonly timezone: string;
  readonly blocks: readonly Block[];
  /** The agent has its memory as a folder of files too. */
  readonly isGit: boolean;
  readonly toolRules: readonly ToolRule[];
  readonly directories: readonly Directory[];
  readonly directoryLimits: DirectoryLimits;
  /** The protocol of the agent's model: some are shown numbered lines. */
  readonly endpointKind: string;
  readonly conversationId: string;
  readonly compiledAt: number;
  /** Messages that are stored and not in context. */
  readonly recallCount: number;
  readonly archivalCount: number;
  readonly archivalTags: readonly string[];
}

const placeholder = "{CORE_MEMORY}";

const kindsWithoutMemory: ReadonlySet<AgentKind> = new Set(["react_agent", "workflow_agent"]);

/** The system message in its parts; those that do not apply are empty. */
export interface PromptSections {
  /** The instructions as they are written, with the place for the rest in them if they name one. */
  readonly system: string;
  readonly memory: string;
  /** Files of a memory that is a folder, by their names only. */
  readonly memoryFiles: string;
  readonly toolRules: string;
  readonly directories: string;
  readonly metadata: string;
}

export function compileSections(input: PromptInput): PromptSections {
  const labels = input.blocks.map(({ label }) => label);
  const quote = createQuote(input.isGit ? gitTagNames(labels) : labels.map(tagName));
  return {
    system: input.system,
    ...compileMemory(input, quote),
    toolRules: compileToolRules(input.toolRules, quote),
    directories: compileDirectories(input.directories, input.directoryLimits, quote),
    metadata: compileMetadata(input, quote),
  };
}

export function joinSections({ system, ...sections }: PromptSections): string {
  const { memory, memoryFiles, toolRules, directories, metadata } = sections;
  const added = joinTexts([memory, memoryFiles, toolRules, directories, metadata]);
  return system.includes(placeholder) ? system.replaceAll(placeholder, () => added) : `${system}\n\n${added}`;
}

export const compileSystemMessage = (input: PromptInput): string => joinSections(compileSections(input));

/** The instructions by themselves, and how often the rest stands among them. */
export function readInstructions(system: string): { readonly text: string; readonly copies: number } {
  const pieces = system.split(placeholder);
  return { text: pieces.join(""), copies: Math.max(1, pieces.length - 1) };
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

type MemorySections = Pick<PromptSections, "memory" | "memoryFiles">;

function compileMemory({ kind, blocks, endpointKind, isGit }: PromptInput, quote: Quote): MemorySections {
  if (kindsWithoutMemory.has(kind)) return { memory: "", memoryFiles: "" };
  if (isGit) return compileGitMemory(blocks, quote);
  const isNumbered = numberedKinds.has(kind) && endpointKind === "anthropic";
  return { memory: compileBlocks(blocks, isNumbered, quote), memoryFiles: "" };
}

function compileBlocks(blocks: readonly Block[], isNumbered: boolean, quote: Quote): string {
  if (blocks.length === 0 && !isNumbered) return "";
  const sections = blocks.map((block) => `${compileBlock(block, isNumbered, quote)}\n`);
  return [
    "<memory_blocks>",
    "These are the blocks of your core memory. They are always in view, and you keep them up to date:",
    "",
    ...sections,
    "</memory_blocks>",
  ].join("\n");
}

/** Kinds whose tools name lines, where the model is known to use the numbers well. */
const numberedKinds: ReadonlySet<AgentKind> = new Set(["sleeptime_agent", "memgpt_v2_agent", "letta_v1_agent"]);

/** Stands over numbered text. Tools refuse it in what they are given. */
export const lineNumberBanner =
  "# NOTE: The line numbers below are only for display. Never put them (or this note) into the arguments of a tool.";

function compileBlock(block: Block, isNumbered: boolean, quote: Quote): string {
  const name = tagName(block.label);
  return [
    `<${name}>`,
    "<description>",
    quote(block.description ?? ""),
    "</description>",
    "<metadata>",
    ...(block.readOnly ? ["- read_only=true"] : []),
    `- chars_current=${[...block.value].length}`,
    `- chars_limit=${block.charLimit}`,
    "</metadata>",
    ...(isNumbered ? ["<warning>", lineNumberBanner, "</warning>"] : []),
    "<value>",
    ...(isNumbered ? numberLines(quote(block.value)) : [quote(block.value)]),
    "</value>",
    `</${name}>`,
  ].join("\n");
}

function numberLines(text: string): string[] {
  return text === "" ? [] : text.split("\n").map((line, index) => `${index + 1}→ ${line}`);
}

const ruleOrder = ["continue", "children", "conditional", "max-count", "parent", "exit"];

function compileToolRules(rules: readonly ToolRule[], quote: Quote): string {
  // An exit rule wins in the loop, so a tool that has one is not said to go on as well.
  const exits = new Set(rules.filter(({ type }) => type === "exit").map(({ tool }) => tool));
  const shown = rules.filter(({ type, tool }) => type !== "continue" || !exits.has(tool));
  const sentences = ruleOrder.flatMap((type) =>
    shown.filter((rule) => rule.type === type).map((rule) => `<tool_rule>${quote(describeRule(rule))}</tool_rule>`),
  );
  if (sentences.length === 0) return "";
  return [
    "<tool_usage_rules>",
    "These rules hold for your tools. A call that breaks one is refused.",
    "",
    ...sentences,
    "</tool_usage_rules>",
  ].join("\n");
}

function describeRule(rule: ToolRule): string {
  switch (rule.type) {
    case "continue":
      return `After ${rule.tool} your turn goes on.`;
    case "children":
      return `Right after ${rule.tool}, call one of: ${rule.children.join(", ")}.`;
    case "conditional": {
      const cases = Object.entries(rule.outputs).map(([output, tool]) => `${tool} if it returned ${output}`);
      return `Right after ${rule.tool}, call ${[...cases, ...(rule.fallback ? [`${rule.fallback} otherwise`] : [])].join(", ")}.`;
    }
    case "max-count":
      return `Call ${rule.tool} at most ${rule.limit} times in one turn.`;
    case "parent":
      return `${rule.children.join(", ")} may only be called right after ${rule.tool}.`;
    case "exit":
      return `${rule.tool} ends your turn.`;
    default:
      return "";
  }
}

function compileMetadata(input: PromptInput, quote: Quote): string {
  const { recallCount, archivalCount, archivalTags } = input;
  return [
    "<memory_metadata>",
    `- AGENT_ID: ${input.agentId}`,
    `- CONVERSATION_ID: ${input.conversationId}`,
    `- System prompt last recompiled: ${formatPromptTime(input.compiledAt, input.timezone)}`,
    `- ${recallCount} earlier messages are in recall memory (search them with tools)`,
    ...(archivalCount > 0 ? [`- ${archivalCount} memories are in archival memory (search them with tools)`] : []),
    ...(archivalTags.length > 0 ? [`- Tags in archival memory: ${quote(oneLine(archivalTags.join(", ")))}`] : []),
    "</memory_metadata>",
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** A label as it can stand in a tag: in one piece, and never the end of another. */
function tagName(label: string): string {
  return ownTag(label.replaceAll(/[<>\s]+/g, "_").replace(/^\/+/, "_") || "block");
}
