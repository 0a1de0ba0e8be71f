/** How servers compatible with Chat Completions are told to think: each invented a field of its own. */
import type { ModelConfig, ReasoningEffort } from "../../shared/model-config.ts";
import type { ChatQuirks } from "../../shared/provider-row.ts";
import { nativeReasoning } from "../reasoning.ts";

type Fields = Readonly<Record<string, unknown>>;

export function toChatThinking(config: ModelConfig, { thinking }: ChatQuirks): Fields {
  // A thought inside a call's arguments is not the model's own thinking.
  const isOn = config.reasoning.enabled && !config.thoughtsInArguments;
  switch (thinking) {
    case "switch":
      return isGlmThinker(config) ? { thinking: { type: isOn ? "enabled" : "disabled" } } : {};
    case "object":
      return nativeReasoning({ ...config, endpointKind: "openrouter" }) === "none"
        ? {}
        : { reasoning: toReasoningObject(config, isOn) };
    case "template":
      return /kimi-k2\.5/i.test(config.model) ? { chat_template_args: { thinking: isOn } } : {};
    case "effort": {
      const effort = isOn && takesEffort(config.model) ? nameEffort(config.reasoning.effort) : undefined;
      return effort === undefined ? {} : { reasoning_effort: effort };
    }
    case undefined:
      return {};
  }
}

function isGlmThinker(config: ModelConfig): boolean {
  return nativeReasoning({ ...config, endpointKind: "zai" }) === "toggle";
}

function toReasoningObject({ reasoning: { effort, budgetTokens } }: ModelConfig, isOn: boolean): Fields {
  if (!isOn) return { enabled: false };
  if (effort !== null) return { effort };
  return budgetTokens > 0 ? { max_tokens: budgetTokens } : { enabled: true };
}

/** The families that take three levels of effort; others refuse the field. */
function takesEffort(model: string): boolean {
  return /gpt-oss|grok-3-mini/i.test(model);
}

function nameEffort(effort: ReasoningEffort | null): "low" | "medium" | "high" | undefined {
  switch (effort) {
    case null:
      return undefined;
    case "none":
    case "minimal":
    case "low":
      return "low";
    case "medium":
      return "medium";
    default:
      return "high";
  }
}
