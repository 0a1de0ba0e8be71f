/** From the bytes of an upload to an agent file that fits together, in the current format whatever it came in. */
import { MemoirError } from "@memoir/core";
import { parseJsonBody } from "../../body.ts";
import type { Upload } from "../../form.ts";
import { parseInput } from "../../validation.ts";
import { ValidationError } from "../../validation-error.ts";
import { AgentFileInput } from "./file-schema.ts";
import { fromLegacy, isLegacy, LegacyFile } from "./legacy.ts";
import { rejectFaults } from "./references.ts";

export function readAgentFile(upload: string | Upload): AgentFileInput {
  const parsed = parseText(typeof upload === "string" ? upload : decode(upload.bytes));
  // Some exporters have written the file's text as one JSON string.
  const content = typeof parsed === "string" ? parseText(parsed) : parsed;
  const file = toCurrent(content);
  rejectCrowd(file);
  rejectFaults(file);
  return file;
}

function toCurrent(content: unknown): AgentFileInput {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw refusal("the agent file must hold a JSON object");
  }
  if ("agents" in content) return parseInput(AgentFileInput, content, "body");
  if (isLegacy(content)) return fromLegacy(parseInput(LegacyFile, content, "body"));
  throw refusal(
    "this is no agent file: it has no 'agents' list, nor the fields of the older format with a single agent " +
      "(llm_config with core_memory or in_context_message_indices)",
  );
}

const maxMessages = 100_000;

/** They are all written in one transaction, which others wait for: 50 µs a message were measured. */
function rejectCrowd({ agents }: AgentFileInput): void {
  const count = agents.reduce((sum, { messages = [] }) => sum + messages.length, 0);
  if (count <= maxMessages) return;
  throw refusal(`the agent file holds ${count} messages; at most ${maxMessages} can be taken in`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw corrupted("it is not text in UTF-8");
  }
}

function parseText(text: string): unknown {
  try {
    const parsed = parseJsonBody(text);
    if (parsed === undefined) throw corrupted("it is empty");
    return parsed;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw corrupted(error.records[0]?.msg ?? "it is not JSON");
  }
}

const corrupted = (why: string): MemoirError => refusal(`Corrupted agent file format. ${why}`);

function refusal(message: string): MemoirError {
  return new MemoirError("invalid-argument", message, { details: { field: "file" } });
}
