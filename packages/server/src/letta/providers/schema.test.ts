/** The wire's lists of providers beside the records of core: a record that a list lacks, or the reverse, fails here. */
import { type ModelConfig, providerRows } from "@memoir/core";
import { expect, test } from "vitest";
import { toModelSettingsWire } from "../models/mapper.ts";
import { embeddingKinds, endpointKinds, isSettingsMember } from "../models/schema.ts";
import { toProviderType } from "./mapper.ts";
import { providerTypes } from "./schema.ts";

/** The old server signs in to it with an account of ChatGPT, which Memoir does not: named on the wire, without a record. */
const withoutRecord = "chatgpt_oauth";

/** Kinds of endpoints that configs of old agents name and for which the old server had no provider either. */
const oldKinds = [
  ...["webui", "webui-legacy", "lmstudio", "lmstudio-legacy", "lmstudio-chatcompletions"],
  ...["llamacpp", "koboldcpp", "pinecone"],
];

const types = providerRows.map(({ type }) => type);

test("providers can be stored and filtered by the type of every record", () => {
  const expected = [...providerRows.map(({ type }) => toProviderType(type)), withoutRecord];
  expect(providerTypes.toSorted()).toEqual(expected.toSorted());
});

test.for(providerRows.map((row) => [row.type, row] as const))(
  "a config of a model of %s can be sent back as it was shown",
  ([, { endpointKind, embeddingKind }]) => {
    expect(endpointKinds).toContain(endpointKind);
    expect(embeddingKinds).toContain(embeddingKind);
  },
);

test("every kind of endpoint is a provider's, or one of old configs", () => {
  const known = new Set([...types, ...oldKinds, withoutRecord]);
  expect([...endpointKinds, ...embeddingKinds].filter((kind) => !known.has(kind))).toEqual([]);
});

const ownMember = types.filter((type) => isSettingsMember(type) && type !== "sglang");

test.for([
  ...ownMember.map((type) => [type, type] as const),
  ["minimax", "anthropic"],
  ["zai_coding", "zai"],
  ["chatgpt_oauth", "chatgpt_oauth"],
  // The old server shows these with OpenAI's settings, of which they speak the protocol.
  ...["mistral", "fireworks", "hugging-face", "ollama", "vllm"].map((kind) => [kind, "openai"] as const),
  ...oldKinds.map((kind) => [kind, "openai"] as const),
] as const)("settings of a model of the kind %s are shown as those of %s", ([endpointKind, member]) => {
  const reasoning = { enabled: true, effort: null, budgetTokens: 0 };
  const config = { endpointKind, reasoning, strict: false, temperature: 1 } as unknown as ModelConfig;
  expect(toModelSettingsWire(config).provider_type).toBe(member);
});
