/**
 * OpenAI's two protocols: Responses for models that reason, whose reasoning comes back to us sealed and is sent again as
 * it came, and Chat Completions for all others, which is also what compatible servers speak.
 */
import { createOpenAI } from "@ai-sdk/openai";
import type { MemoirError } from "../../shared/errors.ts";
import type { JsonValue } from "../../shared/json.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import type { Model, ModelRequest } from "../model.ts";
import { nativeReasoning } from "../reasoning.ts";
import type { PackageOptions } from "./package-types.ts";
import {
  type PromptStyle,
  parseArguments,
  toPackageChoice,
  toPackageFormat,
  toPackagePrompt,
  toPackageTools,
} from "./prompt.ts";
import { type AdapterAccess, type Concessions, wrapPackage } from "./provider-package.ts";

type Options = Record<string, JsonValue>;

export interface OpenAiOptions {
  /** The server has no Responses: models that reason are spoken to in Chat Completions as well. */
  readonly onlyChat?: boolean;
}

export function createOpenAiModel(access: AdapterAccess, { onlyChat = false }: OpenAiOptions = {}): Model {
  const { baseUrl, apiKey, headers, fetch } = access;
  const usesResponses = (config: ModelConfig) => isReasoner(config) && !onlyChat;
  const provider = createOpenAI({ baseURL: baseUrl, apiKey, headers: { ...headers }, fetch });
  const isOriginal = URL.parse(baseUrl)?.hostname === "api.openai.com";
  // Remembered, because it holds for the account: one refusal is enough.
  let hasSummaries = true;
  return wrapPackage(
    {
      open(config) {
        const { model } = nameModel(config);
        return usesResponses(config) ? provider.responses(model) : provider.chat(model);
      },
      toOptions(request, without) {
        const leftOut = { ...without, summaries: without.summaries || !hasSummaries };
        return usesResponses(request.config)
          ? toResponsesOptions(request, leftOut, isOriginal)
          : toChatOptions(request, isOriginal);
      },
      concede(error, without) {
        const conceded = concede(error, without);
        if (conceded?.summaries) hasSummaries = false;
        return conceded;
      },
    },
    access,
  );
}

function isReasoner(config: ModelConfig): boolean {
  return nativeReasoning({ ...config, endpointKind: "openai" }) === "always";
}

/** The fast twin of a model is the same model on a quicker queue. */
function nameModel({ model }: ModelConfig): { model: string; tier: Options } {
  const fast = /^(gpt-5\.\d+)-fast$/.exec(model);
  return fast ? { model: fast[1] ?? model, tier: { serviceTier: "priority" } } : { model, tier: {} };
}

const style: Omit<PromptStyle, "toReasoning"> = {
  namespace: "openai",
  toSystemNote: (content) => ({ role: "system", content }),
  callId: /^[\w-]{1,40}$/,
  toArguments: (json) => (Object.keys(parseArguments(json)).length > 0 ? json : "{}"),
  marksFailures: false,
};

function toChatOptions(request: ModelRequest, isOriginal: boolean): PackageOptions {
  const { config } = request;
  return {
    ...toCommonOptions(request, { ...style, toReasoning: () => [] }, config.strict),
    ...(isReasoner(config) ? {} : { temperature: config.temperature }),
    ...(config.frequencyPenalty === null ? {} : { frequencyPenalty: config.frequencyPenalty }),
    providerOptions: {
      openai: {
        ...toCommonSettings(request, isOriginal),
        ...(config.maxOutputTokens === null ? {} : { maxCompletionTokens: config.maxOutputTokens }),
        ...(isReasoner(config) ? toEffort(config) : {}),
        // Refused where there are no tools, and by models that reason.
        ...(request.tools.length > 0 && !isReasoner(config) ? { parallelToolCalls: request.parallelToolCalls } : {}),
      },
    },
  };
}

function toResponsesOptions(request: ModelRequest, without: Concessions, isOriginal: boolean): PackageOptions {
  const { config } = request;
  const toReasoning = without.reasoning ? () => [] : toReasoningItem;
  return {
    ...toCommonOptions(request, { ...style, toReasoning }, config.strict, true),
    ...(config.maxOutputTokens === null ? {} : { maxOutputTokens: config.maxOutputTokens }),
    providerOptions: {
      openai: {
        ...toCommonSettings(request, isOriginal),
        store: false, // which also asks for the sealed reasoning
        parallelToolCalls: false,
        reasoningSummary: without.summaries ? null : "detailed",
        ...toEffort(config),
      },
    },
  };
}

function toEffort({ reasoning: { effort } }: ModelConfig): Options {
  return { forceReasoning: true, ...(effort === null ? {} : { reasoningEffort: effort }) };
}

function toCommonOptions(request: ModelRequest, style: PromptStyle, isStrict: boolean, isExplicit = false) {
  return {
    prompt: toPackagePrompt(request, style),
    tools: toPackageTools(request.tools, { isWanted: isStrict, isExplicit }),
    toolChoice: toPackageChoice(request),
    responseFormat: toPackageFormat(request.responseFormat),
  };
}

function toCommonSettings({ config, responseFormat, user }: ModelRequest, isOriginal: boolean): Options {
  const isGpt5 = config.model.startsWith("gpt-5");
  return {
    ...nameModel(config).tier,
    ...(user === undefined ? {} : { user }),
    ...(config.verbosity && isGpt5 ? { textVerbosity: config.verbosity } : {}),
    ...(responseFormat?.type === "json_schema" ? { strictJsonSchema: responseFormat.json_schema.strict === true } : {}),
    ...(isOriginal && keepsCacheLong(config.model) ? { promptCacheRetention: "24h" } : {}),
  };
}

function keepsCacheLong(model: string): boolean {
  return model === "gpt-4.1" || (model.startsWith("gpt-5") && model !== "gpt-5-mini");
}

const toReasoningItem: PromptStyle["toReasoning"] = (part) => {
  if (part.type !== "summarized-reasoning" || part.encrypted === undefined) return [];
  const providerOptions = { openai: { itemId: part.id, reasoningEncryptedContent: part.encrypted } };
  const texts = part.summary.length > 0 ? part.summary.map(({ text }) => text) : [""];
  return texts.map((text) => ({ type: "reasoning", text, providerOptions }));
};

function concede({ code, message }: MemoirError, without: Concessions): Concessions | undefined {
  if (code !== "llm-bad-request") return undefined;
  if (!without.reasoning && /encrypted content|'?reasoning'? item|'rs_\w+'/i.test(message)) {
    return { ...without, reasoning: true };
  }
  if (!without.summaries && /reasoning[ ._](summar)/i.test(message)) return { ...without, summaries: true };
  return undefined;
}
