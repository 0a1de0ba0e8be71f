/**
 * How much an agent's model thinks, decided when the agent is created or its model changes. Kinds whose plain text is
 * the reply use a model's own reasoning or none; the older kinds let models without any write a thought into each call.
 */
import type { AgentKind } from "../shared/agent-kinds.ts";
import { MemoirError } from "../shared/errors.ts";
import type { ModelConfig, Reasoning, ReasoningEffort } from "../shared/model-config.ts";

/**
 * What a model's own reasoning is like: "always" cannot be switched off, "toggle" is on unless refused, "optional" is
 * off unless wanted, "none" has no switch of ours.
 */
export type NativeReasoning = "always" | "toggle" | "optional" | "none";

const smallestClaudeBudget = 1_024;
const smallestGeminiBudget = 128;
const defaultGeminiBudget = 1_024;

/** The kinds run by the newer loop, which never asks for thoughts inside tool arguments. */
const plainTextKinds: ReadonlySet<AgentKind> = new Set<AgentKind>(["letta_v1_agent", "sleeptime_agent"]);

/**
 * Applies the policy to a config that already holds the caller's settings. `wanted` and `parallel` are what the caller
 * asked for outright; undefined leaves the choice to the policy.
 */
export function resolveReasoning(
  config: ModelConfig,
  kind: AgentKind,
  wanted: boolean | undefined,
  parallel?: boolean,
): ModelConfig {
  const native = nativeReasoning(config);
  const usesNative =
    native === "always" || (native === "toggle" ? wanted !== false : native === "optional" && !!wanted);
  const simulates = !plainTextKinds.has(kind) && (native === "none" || native === "optional") && wanted !== false;
  const isGpt5 = speaksOpenAi(config) && config.model.startsWith("gpt-5");
  return {
    ...config,
    reasoning: usesNative ? withDefaults(config) : { ...config.reasoning, enabled: simulates },
    thoughtsInArguments: simulates,
    effort: config.effort ?? (plainTextKinds.has(kind) && takesEffort(config) ? "medium" : null),
    verbosity: config.verbosity ?? (isGpt5 ? "medium" : null),
    parallelToolCalls: parallel ?? (config.parallelToolCalls || config.endpointKind === "anthropic"),
  };
}

export function nativeReasoning({ endpointKind, model }: ModelConfig): NativeReasoning {
  switch (endpointKind) {
    case "openai":
    case "azure":
    case "chatgpt_oauth":
      return isOpenAiReasoner(model) ? "always" : "none";
    case "anthropic":
    case "bedrock":
      return isClaudeReasoner(model) ? "toggle" : "none";
    case "google_ai":
    case "google_vertex":
      if (/^gemini-(2\.5-pro|[3-9])/.test(model)) return "always";
      return model.startsWith("gemini-2.5-flash") ? "toggle" : "none";
    case "zai":
    case "zai_coding":
      return isGlmReasoner(model) ? "toggle" : "none";
    case "openrouter":
      return isHostedReasoner(model) ? "toggle" : "none";
    case "baseten":
      return isHostedReasoner(model) ? "toggle" : "optional";
    default:
      return "none";
  }
}

/** Claude models that decide by themselves how long to think, and take no budget. */
export function usesAdaptiveThinking(model: string): boolean {
  return /claude-(opus|sonnet|haiku)-(4[-.][6-9]|[5-9])(?!\d)/.test(model);
}

function withDefaults(config: ModelConfig): Reasoning {
  const { effort, budgetTokens } = config.reasoning;
  switch (config.endpointKind) {
    case "openai":
    case "azure":
    case "chatgpt_oauth":
      return { enabled: true, effort: checkEffort(config.model, effort ?? defaultEffort(config.model)), budgetTokens };
    case "anthropic":
    case "bedrock": {
      const isAdaptive = usesAdaptiveThinking(config.model);
      return { enabled: true, effort, budgetTokens: isAdaptive ? 0 : Math.max(budgetTokens, smallestClaudeBudget) };
    }
    case "google_ai":
    case "google_vertex":
      return {
        enabled: true,
        effort,
        budgetTokens: budgetTokens === 0 ? defaultGeminiBudget : Math.max(budgetTokens, smallestGeminiBudget),
      };
    default:
      return { enabled: true, effort, budgetTokens };
  }
}

/** Codex and chat variants take none of the lowest levels, so they get the middle one. */
function defaultEffort(model: string): ReasoningEffort {
  if (!model.startsWith("gpt-5") || /codex|-chat/.test(model)) return "medium";
  return /^gpt-5\.[1-4]/.test(model) ? "none" : "minimal";
}

function checkEffort(model: string, effort: ReasoningEffort): ReasoningEffort {
  if (effort === "minimal" && model.includes("codex")) {
    throw new MemoirError("invalid-argument", `${model} does not take the reasoning effort "minimal"`, {
      details: { field: "reasoning_effort" },
    });
  }
  return effort;
}

function speaksOpenAi({ endpointKind }: ModelConfig): boolean {
  return endpointKind === "openai" || endpointKind === "azure" || endpointKind === "chatgpt_oauth";
}

/** gpt-5-chat is the one member of its family that refuses reasoning settings. */
function isOpenAiReasoner(model: string): boolean {
  return /^(o[134](-|$)|gpt-5)/.test(model) && !model.startsWith("gpt-5-chat");
}

function isClaudeReasoner(model: string): boolean {
  return /claude-(3[-.]7|(opus|sonnet|haiku)-[4-9])/.test(model);
}

function isGlmReasoner(model: string): boolean {
  return /glm-(4\.[5-9]|[5-9])/i.test(model);
}

function takesEffort({ endpointKind, model }: ModelConfig): boolean {
  const speaksClaude = endpointKind === "anthropic" || endpointKind === "bedrock";
  return speaksClaude && /claude-(opus-4-[56]|sonnet-4-6)/.test(model);
}

/** Hosts of many vendors' models name them `<vendor>/<model>`. */
function isHostedReasoner(model: string): boolean {
  const name = model.split("/").at(-1) ?? model;
  if (isOpenAiReasoner(name) || isClaudeReasoner(name) || isGlmReasoner(name)) return true;
  return /gpt-oss|gemini-(2\.5|[3-9])|deepseek-(r1|reasoner)|thinking|qwq|magistral|grok-(3-mini|4)|minimax-m/i.test(
    name,
  );
}
