/** What the demo says: from the memory it sees, and about what its tools gave. */
import type { ToolReturn } from "../shared/content.ts";
import { type JsonObject, type JsonValue, parseJson, parseJsonObject } from "../shared/json.ts";
import { chooseBlock, type SeenBlock, toLine } from "./demo-memory.ts";
import { understand } from "./demo-rules.ts";

export const aboutMe = [
  "I am memoir/demo: a handful of rules, not a language model.",
  'I can note what you tell me ("My name is Ada", "I live in Ghent", "I like tea", "Remember that …"),',
  'tell you what I have noted ("What do you know about me?"), forget it again ("Forget my name"),',
  'and search ("What did I say about tea?", "Archive …", "Look up …").',
  "Give this agent a real model for anything else.",
].join(" ");

export function recallFacts(name: string | null, blocks: readonly SeenBlock[]): string {
  const block = blocks.find(({ label }) => label === "human") ?? chooseBlock(blocks);
  const value = block?.value.trim().replaceAll("&lt;", "<") ?? "";
  if (name === null) {
    return value === "" ? "I have nothing noted about you yet." : `This is what I have noted about you:\n${value}`;
  }
  const found = name === "Name" ? findName(value) : findFacts(name, value);
  if (found.length === 0) return `You have not told me ${name === "Name" ? "your name" : "that"} yet.`;
  return name === "Name" ? `Your name is ${found[0]}.` : `I have noted: ${found.join("; ")}.`;
}

function findName(value: string): string[] {
  const named = value.split("\n").map((line) => /^\W*(?:first )?name:(.+)/i.exec(line)?.[1]?.trim());
  const name = named.find((text) => text) ?? /\bname is ([\p{Lu}][\p{L}'-]*)/u.exec(value)?.[1];
  return name === undefined ? [] : [name.replace(/\.$/, "")];
}

function findFacts(name: string, value: string): string[] {
  const words = name.toLowerCase();
  return value
    .split("\n")
    .filter((line) => line.toLowerCase().startsWith(`${words}: `) || line.toLowerCase().includes(` ${words}`));
}

export function greet(blocks: readonly SeenBlock[]): string {
  const [name] = findName(blocks.find(({ label }) => label === "human")?.value ?? "");
  return `Hello${name ? `, ${name}` : ""}! ${aboutMe}`;
}

export function reportResult(result: ToolReturn, utterance: string): string {
  const { isFailed, value } = openResult(result);
  if (isFailed) return `That did not work: ${shorten(typeof value === "string" ? value : JSON.stringify(value))}`;
  switch (result.name) {
    case "conversation_search":
      return reportFound(
        readResults(value).filter((text) => text !== utterance),
        "in what we have said",
      );
    case "archival_memory_search":
      return reportFound(readResults(value), "in the archive");
    case "archival_memory_insert":
      return "That is in the archive now.";
    case "send_message":
      return "That is all.";
    default:
      return reportEdit(utterance, result.name);
  }
}

function reportEdit(utterance: string, tool: string): string {
  const intent = understand(utterance);
  if (intent.type === "note") return `I have noted it: ${intent.facts.map(toLine).join("; ")}.`;
  return intent.type === "forget" ? "I have taken that out of my notes." : `${tool} is done.`;
}

/** Results come bare or in an envelope, and what is inside may be JSON once more. */
function openResult({ output, status }: ToolReturn): { isFailed: boolean; value: JsonValue } {
  const envelope = parseJsonObject(output);
  const isEnvelope = envelope !== undefined && "status" in envelope && "message" in envelope;
  const inner = isEnvelope ? (envelope.message ?? null) : output;
  return {
    isFailed: status === "error" || (isEnvelope && envelope.status === "Failed"),
    value: typeof inner === "string" ? (parseJson(inner) ?? inner) : inner,
  };
}

function readResults(value: JsonValue): string[] {
  const results = Array.isArray(value) ? value : ((value as JsonObject | null)?.results ?? []);
  if (!Array.isArray(results)) return typeof value === "string" && value !== "" ? [value] : [];
  return results.flatMap((result) => {
    const { content, message } = (result ?? {}) as JsonObject;
    const text = content ?? message;
    return typeof text === "string" ? [text] : [];
  });
}

const maxQuoted = 3;

function reportFound(texts: readonly string[], where: string): string {
  if (texts.length === 0) return `I found nothing about that ${where}.`;
  const quotes = texts.slice(0, maxQuoted).map((text) => `"${shorten(text)}"`);
  return `I found ${texts.length} ${texts.length === 1 ? "entry" : "entries"} ${where}: ${quotes.join("; ")}`;
}

function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
