/**
 * Turns an agent's instructions and memory into the system message. Stored text cannot forge structure: the `<` of any
 * tag that we write ourselves becomes `&lt;` inside values, descriptions and labels; all else stands byte for byte.
 */
import type { AgentKind } from "../agent-kinds.ts";
import type { Block } from "../store/blocks.ts";
import { formatPromptTime } from "./time.ts";

export interface PromptInput {
  readonly agentId: string;
  readonly kind: AgentKind;
  readonly system: string;
  readonly timezone: string;
  readonly blocks: readonly Block[];
  readonly conversationId: string;
  readonly compiledAt: number;
  /** Messages that are stored and not in context. */
  readonly recallCount: number;
  readonly archivalCount: number;
  readonly archivalTags: readonly string[];
}

const placeholder = "{CORE_MEMORY}";

const kindsWithoutMemory: ReadonlySet<AgentKind> = new Set(["react_agent", "workflow_agent"]);

export function compileSystemMessage(input: PromptInput): string {
  const memory = kindsWithoutMemory.has(input.kind) ? "" : compileBlocks(input.blocks);
  const added = [memory, compileMetadata(input)].filter((section) => section !== "").join("\n\n");
  return input.system.includes(placeholder)
    ? input.system.replaceAll(placeholder, () => added)
    : `${input.system}\n\n${added}`;
}

export function compileBlocks(blocks: readonly Block[]): string {
  if (blocks.length === 0) return "";
  const quote = createQuote(blocks.map(({ label }) => tagName(label)));
  const sections = blocks.map((block) => `${compileBlock(block, quote)}\n`);
  return [
    "<memory_blocks>",
    "These are the blocks of your core memory. They are always in view, and you keep them up to date:",
    "",
    ...sections,
    "</memory_blocks>",
  ].join("\n");
}

type Quote = (text: string) => string;

function compileBlock(block: Block, quote: Quote): string {
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
    "<value>",
    quote(block.value),
    "</value>",
    `</${name}>`,
  ].join("\n");
}

function compileMetadata(input: PromptInput): string {
  const { recallCount, archivalCount, archivalTags } = input;
  return [
    "<memory_metadata>",
    `- AGENT_ID: ${input.agentId}`,
    `- CONVERSATION_ID: ${input.conversationId}`,
    `- This prompt was put together at: ${formatPromptTime(input.compiledAt, input.timezone)}`,
    `- ${recallCount} earlier messages are in recall memory (search them with tools)`,
    ...(archivalCount > 0 ? [`- ${archivalCount} memories are in archival memory (search them with tools)`] : []),
    ...(archivalTags.length > 0 ? [`- Tags in archival memory: ${archivalTags.join(", ")}`] : []),
    "</memory_metadata>",
  ].join("\n");
}

/** A label as it can stand in a tag. */
function tagName(label: string): string {
  return label.replaceAll(/[<>\s]+/g, "_") || "block";
}

const structure = [
  "available_skills",
  "base_instructions",
  "description",
  "directories",
  "directory",
  "external_projection",
  "file",
  "file_limits",
  "instructions",
  "memory",
  "memory_blocks",
  "memory_metadata",
  "metadata",
  "projection",
  "self",
  "tool_rule",
  "tool_usage_rules",
  "value",
  "warning",
];

function createQuote(labels: readonly string[]): Quote {
  const names = [...structure, ...labels].map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const tag = new RegExp(`<(?=\\s*/?\\s*(?:${names.join("|")})(?![\\w-]))`, "gi");
  return (text) => text.replaceAll(tag, "&lt;");
}
