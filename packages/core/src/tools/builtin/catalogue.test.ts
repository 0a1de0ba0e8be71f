import { expect, test } from "vitest";
import { systemPrompts } from "../../memory/prompts.ts";
import { readAnswer, testRecorded } from "../../testing/recordings.ts";
import { builtinTools } from "./list.ts";

const recordedKinds: Readonly<Record<string, string>> = {
  letta_core: "core",
  letta_memory_core: "memory",
  letta_sleeptime_core: "sleeptime",
  letta_voice_sleeptime_core: "voice",
  letta_multi_agent_core: "multi-agent",
  letta_builtin: "service",
  letta_files_core: "files",
};

interface RecordedTool {
  readonly name: string;
  readonly tool_type: string;
  readonly enable_parallel_execution: boolean | null;
  readonly description: string;
  readonly json_schema: { readonly description: string; readonly parameters: unknown };
}

const readRecordedTools = () => readAnswer<RecordedTool[]>("tools-list-base.json");

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Walks a schema; a parameter that happens to be called "description" is a schema, not a text. */
function withoutDescriptions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDescriptions);
  if (!isRecord(node)) return node;
  const kept = Object.entries(node).filter(([key, value]) => key !== "description" || typeof value !== "string");
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)]));
}

function listProperties(node: unknown, path: string): { path: string; schema: Record<string, unknown> }[] {
  if (!isRecord(node)) return [];
  const own = isRecord(node.properties) ? Object.entries(node.properties) : [];
  return [
    ...own.flatMap(([name, schema]) =>
      isRecord(schema) ? [{ path: `${path}.${name}`, schema }, ...listProperties(schema, `${path}.${name}`)] : [],
    ),
    ...listProperties(node.items, `${path}[]`),
  ];
}

function listDescriptions(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(listDescriptions);
  if (!isRecord(node)) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === "description" && typeof value === "string" ? [value] : listDescriptions(value),
  );
}

function listSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .filter((sentence) => !sentence.startsWith("*** ")) // the patch format's own header lines
    .map((sentence) => sentence.toLowerCase().replace(/\W+/g, " ").trim())
    .filter((sentence) => sentence.includes(" "));
}

function propertyNames(schema: unknown): string[] {
  return listProperties(schema, "").map(({ path }) => path);
}

test("what models and clients read of the tools changes only on purpose", async () => {
  const read = builtinTools.map(({ name, kind, description, parameters, isParallel }) => ({
    ...{ name, kind, description, parameters, isParallel },
  }));
  await expect(`${JSON.stringify(read, null, 2)}\n`).toMatchFileSnapshot("__fixtures__/catalogue.json");
});

test("each builtin tool has a name of its own", () => {
  expect(new Set(builtinTools.map((tool) => tool.name)).size).toBe(builtinTools.length);
});

test.for(builtinTools)("$name explains itself and every parameter", (tool) => {
  expect(tool.description.length).toBeGreaterThan(100);
  for (const { path, schema } of listProperties(tool.parameters, tool.name)) {
    expect(schema.description, path).toEqual(expect.stringMatching(/\S.*\.$/));
  }
  expect(Object.keys(tool.parameters.properties)).toEqual(expect.arrayContaining([...tool.parameters.required]));
  expect(JSON.stringify(tool)).not.toMatch(/\n\n\n|letta|memgpt/i);
});

test("tools that show block lines behind numbers tell the model not to write the numbers", () => {
  const warned = builtinTools.filter((tool) => tool.description.includes("12→")).map((tool) => tool.name);
  expect(warned.sort()).toEqual(["memory", "memory_apply_patch", "memory_insert", "memory_replace", "memory_rethink"]);
});

test("no block edit claims that the prompt has already changed", () => {
  const editors = builtinTools.filter((tool) => tool.kind === "memory" || tool.kind === "sleeptime");
  for (const tool of editors.filter(({ name }) => name !== "memory_finish_edits")) {
    expect(tool.description, tool.name).toContain("only renewed for your next turn");
  }
});

test("system prompts speak only of tools that exist", () => {
  const known = new Set(builtinTools.map((tool) => tool.name));
  for (const word of ["request_heartbeat", "system_alert", "read_only", "base_instructions", "memory_persona"]) {
    known.add(word);
  }
  const spoken = Object.values(systemPrompts).flatMap((prompt) => prompt.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []);
  expect(spoken.filter((word) => !known.has(word))).toEqual([]);
});

testRecorded("names, parameters, kinds and parallelism are those clients know", () => {
  const recorded = readRecordedTools();
  expect(builtinTools.map((tool) => tool.name).sort()).toEqual(recorded.map((tool) => tool.name).sort());
  for (const theirs of recorded) {
    const ours = builtinTools.find((tool) => tool.name === theirs.name);
    const parameters = theirs.json_schema.parameters;
    expect(withoutDescriptions(ours?.parameters), theirs.name).toEqual(withoutDescriptions(parameters));
    expect(propertyNames(ours?.parameters), `order in ${theirs.name}`).toEqual(propertyNames(parameters));
    expect(ours?.kind, theirs.name).toBe(recordedKinds[theirs.tool_type]);
    expect(ours?.isParallel, theirs.name).toBe(theirs.enable_parallel_execution);
  }
});

testRecorded("no sentence is taken from the recorded server", () => {
  const recorded = readRecordedTools().flatMap((tool) => [tool.description, ...listDescriptions(tool.json_schema)]);
  const theirs = new Set(recorded.flatMap(listSentences));
  expect(theirs.size).toBeGreaterThan(50);
  const ours = builtinTools.flatMap((tool) => [tool.description, ...listDescriptions(tool.parameters)]);
  expect(ours.flatMap(listSentences).filter((sentence) => theirs.has(sentence))).toEqual([]);
});
