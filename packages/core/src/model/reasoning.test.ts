import { expect, test } from "vitest";
import { type AgentKind, agentKinds } from "../shared/agent-kinds.ts";
import type { ModelConfig } from "../shared/model-config.ts";
import { readAnswer, testRecorded } from "../testing/recordings.ts";
import { findModel } from "./catalogue.ts";
import { nativeReasoning, resolveReasoning, usesAdaptiveThinking } from "./reasoning.ts";

function getModel(handle: string, changes: Partial<ModelConfig> = {}): ModelConfig {
  const config = findModel(handle);
  if (!config) throw new Error(`no model ${handle}`);
  return { ...config, ...changes };
}

function rename(handle: string, model: string, endpointKind?: string): ModelConfig {
  const config = getModel(handle);
  return { ...config, model, endpointKind: endpointKind ?? config.endpointKind };
}

interface RecordedAgent {
  readonly agent_type: string;
  readonly llm_config: Readonly<Record<string, unknown>>;
}

/** What each recorded request asked for beyond the model. */
const created: readonly [string, Partial<ModelConfig>, boolean?][] = [
  ["agent-create-default.json", {}],
  ["agent-create-minimal.json", {}],
  ["agent-create-gpt5.json", {}],
  ["agent-create-memgpt.json", {}],
  ["agent-create-memgpt-v2.json", {}],
  ["agent-create-sleeptime.json", {}],
  ["agent-create-anthropic.json", { reasoning: { enabled: true, effort: null, budgetTokens: 1024 } }, true],
  [
    "agent-create-with-settings.json",
    { parallelToolCalls: true, reasoning: { enabled: true, effort: "high", budgetTokens: 0 } },
  ],
];

for (const [name, settings, wanted] of created) {
  testRecorded(`${name} is created with the recorded reasoning`, () => {
    const { agent_type, llm_config: theirs } = readAnswer<RecordedAgent>(name);
    const kind = agentKinds.find((known) => known === agent_type);
    if (!kind) throw new Error(`unknown kind ${agent_type}`);
    expect(resolveReasoning(getModel(String(theirs.handle), settings), kind, wanted)).toMatchObject({
      reasoning: {
        enabled: theirs.enable_reasoner,
        effort: theirs.reasoning_effort,
        budgetTokens: theirs.max_reasoning_tokens,
      },
      thoughtsInArguments: theirs.put_inner_thoughts_in_kwargs,
      effort: theirs.effort,
      verbosity: theirs.verbosity,
      parallelToolCalls: theirs.parallel_tool_calls,
    });
  });
}

const plain: AgentKind = "letta_v1_agent";

test.for(["o3", "gpt-5", "gpt-5.1", "gpt-5-codex"])("%s cannot be kept from reasoning", (model) => {
  const config = resolveReasoning(rename("openai/gpt-5", model), plain, false);
  expect(config.reasoning.enabled).toBe(true);
  expect(config.thoughtsInArguments).toBe(false);
});

test.for([
  ["o3", "medium"],
  ["gpt-5-nano", "minimal"],
  ["gpt-5.1", "none"],
  ["gpt-5.4-fast", "none"],
  ["gpt-5-codex", "medium"],
  ["gpt-5.1-codex", "medium"],
] as const)("%s starts with the effort %s", ([model, effort]) => {
  expect(resolveReasoning(rename("openai/o3", model), plain, undefined).reasoning.effort).toBe(effort);
});

test("codex refuses the effort it does not know", () => {
  const config = rename("openai/gpt-5", "gpt-5-codex");
  const settings = { ...config, reasoning: { ...config.reasoning, effort: "minimal" as const } };
  expect(() => resolveReasoning(settings, plain, undefined)).toThrow(/minimal/);
});

test("Claude thinks unless told not to, with a budget it accepts", () => {
  const sonnet = getModel("anthropic/claude-sonnet-4-5-20250929");
  expect(resolveReasoning(sonnet, plain, undefined).reasoning).toEqual({
    enabled: true,
    effort: null,
    budgetTokens: 1024,
  });
  expect(resolveReasoning(sonnet, plain, false).reasoning.enabled).toBe(false);
  const generous = { ...sonnet, reasoning: { ...sonnet.reasoning, budgetTokens: 9000 } };
  expect(resolveReasoning(generous, plain, true).reasoning.budgetTokens).toBe(9000);
  expect(resolveReasoning(getModel("anthropic/claude-3-5-haiku"), plain, true).reasoning.enabled).toBe(false);
});

test("adaptive Claude models get an effort and no budget", () => {
  const opus = resolveReasoning(getModel("anthropic/claude-opus-4-6"), plain, undefined);
  expect(opus).toMatchObject({ effort: "medium", reasoning: { enabled: true, budgetTokens: 0 } });
  expect(resolveReasoning(getModel("anthropic/claude-opus-4-6", { effort: "max" }), plain, undefined).effort).toBe(
    "max",
  );
  expect(usesAdaptiveThinking("claude-sonnet-4-20250514")).toBe(false);
  expect(usesAdaptiveThinking("claude-sonnet-4-6")).toBe(true);
});

test("Claude calls tools in parallel unless the caller says otherwise", () => {
  const sonnet = getModel("anthropic/claude-sonnet-4-6");
  expect(resolveReasoning(sonnet, plain, undefined).parallelToolCalls).toBe(true);
  expect(resolveReasoning(sonnet, plain, undefined, false).parallelToolCalls).toBe(false);
  expect(resolveReasoning(getModel("openai/gpt-4.1"), plain, undefined).parallelToolCalls).toBe(false);
});

test("Gemini flash can be switched off, pro cannot", () => {
  expect(resolveReasoning(getModel("google_ai/gemini-2.5-flash"), plain, false).reasoning.enabled).toBe(false);
  expect(resolveReasoning(getModel("google_ai/gemini-2.5-pro"), plain, false).reasoning).toMatchObject({
    enabled: true,
    budgetTokens: 1024,
  });
  const sparing = getModel("google_ai/gemini-2.5-pro", {
    reasoning: { enabled: true, effort: null, budgetTokens: 10 },
  });
  expect(resolveReasoning(sparing, plain, true).reasoning.budgetTokens).toBe(128);
});

test("older kinds simulate thoughts only for models without their own, and only if wanted", () => {
  const mini = getModel("openai/gpt-4o-mini");
  expect(resolveReasoning(mini, "memgpt_agent", false)).toMatchObject({
    reasoning: { enabled: false },
    thoughtsInArguments: false,
  });
  expect(resolveReasoning(mini, "react_agent", undefined).thoughtsInArguments).toBe(true);
  expect(resolveReasoning(getModel("openai/gpt-5"), "memgpt_v2_agent", true)).toMatchObject({
    reasoning: { enabled: true, effort: "minimal" },
    thoughtsInArguments: false,
  });
  expect(resolveReasoning(mini, "sleeptime_agent", undefined).thoughtsInArguments).toBe(false);
});

test.for([
  ["openrouter", "anthropic/claude-sonnet-4.5", "toggle"],
  ["openrouter", "openai/gpt-4o-mini", "none"],
  ["openrouter", "openai/gpt-5-mini", "toggle"],
  ["baseten", "moonshotai/Kimi-K2-Instruct", "optional"],
  ["zai", "glm-4.5-air", "toggle"],
  ["zai", "glm-4-plus", "none"],
  ["bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "toggle"],
  ["openai", "o1", "always"],
  ["openai", "gpt-5-chat-latest", "none"],
  ["google_ai", "gemini-3-pro-preview", "always"],
  ["deepseek", "deepseek-reasoner", "none"],
] as const)("on %s the model %s reasons: %s", ([endpointKind, model, expected]) => {
  expect(nativeReasoning(rename("openai/gpt-4o", model, endpointKind))).toBe(expected);
});
