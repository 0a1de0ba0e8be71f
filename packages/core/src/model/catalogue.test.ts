import { expect, test } from "vitest";
import { readAnswer, testRecorded } from "../testing/recordings.ts";
import {
  builtinEmbeddingHandle,
  compareListed,
  demoModelHandle,
  findEmbedding,
  findModel,
  listEmbeddings,
  listModels,
} from "./catalogue.ts";

interface Recorded {
  readonly handle: string;
  readonly [field: string]: unknown;
}

/** The old server's hosted model is not ours to offer, and its embedding models in the model list are its mistake. */
function readListing(name: string): Recorded[] {
  return readAnswer<Recorded[]>(name).filter(
    ({ handle, model_type }) =>
      !handle.startsWith("letta/") && (model_type === "embedding" || !handle.includes("text-embedding")),
  );
}

testRecorded("every recorded model is listed as recorded", () => {
  const recorded = readListing("models-list.json");
  expect(recorded.length).toBeGreaterThan(20);
  for (const theirs of recorded) {
    const ours = findModel(theirs.handle);
    expect(ours, theirs.handle).toMatchObject({
      handle: theirs.handle,
      model: theirs.model,
      displayName: theirs.display_name,
      provider: theirs.provider_name,
      category: theirs.provider_category,
      endpointKind: theirs.model_endpoint_type,
      contextWindow: theirs.context_window,
      maxOutputTokens: theirs.max_tokens,
      temperature: theirs.temperature,
      reasoning: {
        enabled: theirs.enable_reasoner,
        effort: theirs.reasoning_effort,
        budgetTokens: theirs.max_reasoning_tokens,
      },
      effort: theirs.effort,
      verbosity: theirs.verbosity,
      frequencyPenalty: theirs.frequency_penalty,
      parallelToolCalls: theirs.parallel_tool_calls,
      strict: theirs.strict,
      responseFormat: theirs.response_format,
      thoughtsInArguments: theirs.put_inner_thoughts_in_kwargs,
      tier: theirs.tier,
    });
    if (theirs.provider_name === "anthropic") expect(ours?.endpoint).toBe(theirs.model_endpoint);
  }
});

testRecorded("models stand in the recorded order", () => {
  const handles = readListing("models-list.json").map(({ handle }) => handle);
  const listed = listModels().map(({ handle }) => handle);
  expect(listed.filter((handle) => handle !== null && handles.includes(handle))).toEqual(handles);
});

testRecorded("every recorded embedding model is listed as recorded", () => {
  const recorded = readListing("models-embedding-list.json");
  expect(recorded.length).toBe(3);
  for (const theirs of recorded) {
    expect(findEmbedding(theirs.handle), theirs.handle).toMatchObject({
      handle: theirs.handle,
      model: theirs.embedding_model,
      endpointKind: theirs.embedding_endpoint_type,
      dimension: theirs.embedding_dim,
      chunkSize: theirs.embedding_chunk_size,
      batchSize: theirs.batch_size,
    });
  }
});

test("handles are unique, lead back to their model, and Memoir's own come last", () => {
  const models = listModels();
  expect(new Set(models.map(({ handle }) => handle)).size).toBe(models.length);
  for (const model of models) expect(findModel(model.handle ?? "")).toEqual(model);
  expect(models.at(-1)?.handle).toBe(demoModelHandle);
  expect(listEmbeddings().at(-1)?.handle).toBe(builtinEmbeddingHandle);
});

test.for([
  ["openai-proxy/gpt-4o-mini", "openai/gpt-4o-mini", "gpt-4o-mini"],
  ["openai/gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06", "gpt-4o-2024-08-06"],
  ["anthropic/claude-haiku-4-5", "anthropic/claude-haiku-4-5", "claude-haiku-4-5-20251001"],
  ["anthropic/claude-opus-4-5", "anthropic/claude-opus-4-5", "claude-opus-4-5"],
  ["groq/openai/gpt-oss-120b", "groq/openai/gpt-oss-120b", "openai/gpt-oss-120b"],
] as const)("%s resolves", ([asked, handle, model]) => {
  expect(findModel(asked)).toMatchObject({ handle, model, displayName: model });
});

test("an unknown handle is nobody's", () => {
  expect(findModel("openai/no-such-model")).toBeUndefined();
  expect(findModel("gpt-4o")).toBeUndefined();
  expect(findEmbedding("openai/gpt-4o")).toBeUndefined();
});

test("the builtin embedder needs no endpoint", () => {
  expect(findEmbedding(builtinEmbeddingHandle)).toMatchObject({ dimension: 512, endpoint: null });
  expect(findModel(demoModelHandle)).toMatchObject({ contextWindow: 32_000, endpoint: null, provider: "memoir" });
});

test("models of providers the catalogue does not know stand before Memoir's own", () => {
  const handles = ["memoir/demo", "mine/b", "mine/a", "openrouter/x", "openai/z"];
  const listed = handles.map((handle) => ({ handle, model: handle })).sort(compareListed);
  expect(listed.map(({ handle }) => handle)).toEqual(["openai/z", "openrouter/x", "mine/a", "mine/b", "memoir/demo"]);
});
