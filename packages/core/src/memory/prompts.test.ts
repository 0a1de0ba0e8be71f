import { expect, test } from "vitest";
import { agentKinds } from "../shared/agent-kinds.ts";
import { compactionModes } from "../shared/compaction-settings.ts";
import { listRecordings, readRecording, testRecorded } from "../testing/recordings.ts";
import { prose } from "./prompts/prose.ts";
import { blockDescriptions, bootMessages, compactionPrompts, memoryPersona, systemPrompts } from "./prompts.ts";

const allTexts = [
  ...Object.values(systemPrompts),
  ...Object.values(compactionPrompts),
  ...Object.values(blockDescriptions),
  ...Object.values(bootMessages),
  ...Object.values(memoryPersona),
];

function listStrings(node: unknown): string[] {
  if (typeof node === "string") return [node];
  return typeof node === "object" && node !== null ? Object.values(node).flatMap(listStrings) : [];
}

function listSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.toLowerCase().replace(/\W+/g, " ").trim())
    .filter((sentence) => sentence.includes(" "));
}

function readRecordedSentences(): Set<string> {
  const files = listRecordings(/^(agent|provider|tools)-.*\.json$/);
  const texts = files.flatMap((file) => listStrings(readRecording(file)));
  return new Set(texts.flatMap(listSentences));
}

test.for(agentKinds)("%s has base instructions in their wrapper", (kind) => {
  expect(systemPrompts[kind]).toMatch(/^<base_instructions>\n\S[\s\S]{500,}\S\n<\/base_instructions>$/);
});

test("prompts cannot be mistaken for the sections compiled after them", () => {
  for (const text of allTexts) {
    expect(text.replaceAll(/<\/?base_instructions>/g, "")).not.toMatch(/<\w|\{CORE_MEMORY\}/);
    expect(text).not.toMatch(/\n\n\n|[ \t]\n|undefined/);
  }
});

test("prompts name no product", () => {
  for (const text of allTexts) expect(text).not.toMatch(/letta|memgpt|limnal|openai|anthropic/i);
});

test("agents without memory blocks are not told about them", () => {
  expect(systemPrompts.react_agent).not.toMatch(/memory block/i);
  expect(systemPrompts.workflow_agent).not.toMatch(/memory block/i);
});

test("plain text is a reply only where the loop takes it as one", () => {
  expect(systemPrompts.letta_v1_agent).toContain("Plain text is your answer");
  expect(systemPrompts.memgpt_agent).toContain("Text outside a call reaches nobody");
  expect(systemPrompts.sleeptime_agent).toContain("memory_finish_edits");
});

test.for(compactionModes)("the %s summary has a word budget and comes alone", (mode) => {
  expect(compactionPrompts[mode]).toMatch(/at most \d+ words/);
  expect(compactionPrompts[mode]).toContain("nothing else");
});

testRecorded("no sentence is taken from the recorded server", () => {
  const theirs = readRecordedSentences();
  expect(theirs.size).toBeGreaterThan(100);
  expect(allTexts.flatMap(listSentences).filter((sentence) => theirs.has(sentence))).toEqual([]);
});

test("wrapped source lines reach the model as paragraphs and lists", () => {
  const text = `
    # Title

    One sentence
    in two lines.

    - first
    item
    - second
  `;
  expect(prose(text)).toBe("# Title\n\nOne sentence in two lines.\n\n- first item\n- second");
});
