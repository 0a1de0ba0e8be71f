/** Anthropic's Messages: signed thinking goes back as it came, and three marks let consecutive turns share a cache. */
import { createAnthropic } from "@ai-sdk/anthropic";
import type { MemoirError } from "../../shared/errors.ts";
import type { JsonValue } from "../../shared/json.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import { stripTrailingSlashes } from "../../shared/trim.ts";
import type { Model, ModelRequest } from "../model.ts";
import { nativeReasoning, usesAdaptiveThinking } from "../reasoning.ts";
import type { PackageMessage, PackageOptions, PackageTool } from "./package-types.ts";
import {
  opening,
  type PromptStyle,
  parseArguments,
  toPackageChoice,
  toPackageFormat,
  toPackagePrompt,
  toPackageTools,
  wrapEvent,
} from "./prompt.ts";
import { type AdapterAccess, type Concessions, wrapPackage } from "./provider-package.ts";

type Options = Record<string, JsonValue>;

const defaultOutput = 8_192;
const smallestBudget = 1_024;
/** Room for an answer where the budget for thinking takes all there is. */
const smallestAnswer = 1_024;
const maxStrictTools = 15;

/** `isPlain`: a server of another vendor, which knows the protocol but none of its betas. */
export function createAnthropicModel(access: AdapterAccess, isPlain = false): Model {
  const { apiKey, headers } = access;
  const fetch = isPlain ? withoutBetas(access.fetch) : access.fetch;
  const provider = createAnthropic({ baseURL: addVersion(access.baseUrl), apiKey, headers: { ...headers }, fetch });
  const put = (request: ModelRequest, without: Concessions) => toPlainOptions(toOptions(request, without));
  return wrapPackage(
    {
      open: ({ model }) => provider.messages(model),
      toOptions: isPlain ? put : toOptions,
      concede,
      isHarmless,
    },
    access,
  );
}

function withoutBetas(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete("anthropic-beta");
    return fetch(input, { ...init, headers });
  };
}

/** MiniMax, the one such server, refuses a temperature of 0. */
const smallestTemperature = 0.01;

function toPlainOptions(options: PackageOptions): PackageOptions {
  return {
    ...options,
    temperature: Math.max(options.temperature ?? 1, smallestTemperature),
    providerOptions: { anthropic: { ...options.providerOptions?.anthropic, toolStreaming: false } },
  };
}

/** Anthropic's own libraries take the address without the version, this package takes it with: both must do. */
function addVersion(baseUrl: string): string {
  const bare = stripTrailingSlashes(baseUrl);
  return /\/v\d+$/.test(bare) ? bare : `${bare}/v1`;
}

type Thinking = { type: "enabled"; budgetTokens: number } | { type: "adaptive" } | { type: "disabled" };

function toOptions(request: ModelRequest, without: Concessions): PackageOptions {
  const { config } = request;
  const thinking = chooseThinking(config, without);
  const isThinking = thinking !== undefined && thinking.type !== "disabled";
  return {
    prompt: markPrompt(openWithUser(toPackagePrompt(request, without.reasoning ? styleWithoutReasoning : style))),
    tools: markLast(toPackageTools(request.tools, { isWanted: wantsStrict(request), isExplicit: false })),
    toolChoice: isThinking ? toFreeChoice(request) : toPackageChoice(request),
    responseFormat: toPackageFormat(request.responseFormat),
    maxOutputTokens: limitOutput(config, thinking),
    // The package leaves it out while thinking, which means 1: no other value is allowed then.
    temperature: isThinking ? 1 : Math.min(config.temperature, 1),
    providerOptions: { anthropic: toSettings(request, thinking) },
  };
}

function toSettings({ config, parallelToolCalls }: ModelRequest, thinking: Thinking | undefined): Options {
  const betas = listBetas(config, thinking);
  return {
    disableParallelToolUse: !parallelToolCalls,
    ...(thinking ? { thinking } : {}),
    ...(config.effort ? { effort: config.effort } : {}),
    ...(betas.length > 0 ? { anthropicBeta: betas } : {}),
  };
}

function chooseThinking({ model, reasoning, ...config }: ModelConfig, without: Concessions): Thinking | undefined {
  const isAdaptive = usesAdaptiveThinking(model);
  if (nativeReasoning({ ...config, model, reasoning, endpointKind: "anthropic" }) === "none") return undefined;
  // A turn that has lost its thoughts may not go on thinking.
  if (!reasoning.enabled || without.reasoning) return isAdaptive ? { type: "disabled" } : undefined;
  if (isAdaptive) return { type: "adaptive" };
  return { type: "enabled", budgetTokens: Math.max(reasoning.budgetTokens, smallestBudget) };
}

/** The limit of a config includes thinking; the package adds the budget to what it is given. */
function limitOutput({ maxOutputTokens }: ModelConfig, thinking: Thinking | undefined): number {
  const whole = maxOutputTokens ?? defaultOutput;
  return thinking?.type === "enabled" ? Math.max(whole - thinking.budgetTokens, smallestAnswer) : whole;
}

function listBetas({ model, contextWindow }: ModelConfig, thinking: Thinking | undefined): string[] {
  const interleaves = thinking?.type === "enabled" && !/claude-3/.test(model);
  return [
    ...(interleaves ? ["interleaved-thinking-2025-05-14"] : []),
    ...(contextWindow > 200_000 ? ["context-1m-2025-08-07"] : []),
  ];
}

/** Models that think cannot be forced to call a tool. */
function toFreeChoice(request: ModelRequest): PackageOptions["toolChoice"] {
  return toPackageChoice({ ...request, toolChoice: request.toolChoice === "none" ? "none" : "auto" });
}

/** Each strict tool costs compiling its grammar, so the number is limited. */
function wantsStrict({ config, tools }: ModelRequest): boolean {
  return config.strict && tools.length <= maxStrictTools;
}

const style: PromptStyle = {
  namespace: "anthropic",
  toSystemNote: (text) => ({ role: "user", content: [{ type: "text", text: wrapEvent(text) }] }),
  toReasoning(part) {
    switch (part.type) {
      case "reasoning":
        return part.isNative && part.signature !== undefined ? [sign(part.text, part.signature)] : [];
      case "omitted-reasoning":
        return part.signature === undefined ? [] : [sign("", part.signature)];
      case "redacted-reasoning":
        return [{ type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: part.data } } }];
      case "summarized-reasoning":
        return [];
    }
  },
  callId: /^[\w-]{1,64}$/,
  toArguments: parseArguments,
  marksFailures: true,
};

const styleWithoutReasoning: PromptStyle = { ...style, toReasoning: () => [] };

function sign(text: string, signature: string) {
  return { type: "reasoning" as const, text, providerOptions: { anthropic: { signature } } };
}

/** A conversation must begin with the user. */
function openWithUser(prompt: PackageMessage[]): PackageMessage[] {
  const first = prompt.findIndex(({ role }) => role !== "system");
  if (first >= 0 && prompt[first]?.role === "user") return prompt;
  const message: PackageMessage = { role: "user", content: [{ type: "text", text: opening }] };
  return prompt.toSpliced(first < 0 ? prompt.length : first, 0, message);
}

const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** What stays the same from turn to turn ends at a mark: the system text, and all that has been said so far. */
function markPrompt(prompt: PackageMessage[]): PackageMessage[] {
  return markLast(prompt).map((message) =>
    message.role === "system" ? { ...message, providerOptions: mark } : message,
  );
}

function markLast<T extends PackageMessage | PackageTool>(items: T[]): T[] {
  return items.map((item, index) =>
    index === items.length - 1 ? { ...item, providerOptions: { ...item.providerOptions, ...mark } } : item,
  );
}

function concede({ code, message }: MemoirError, without: Concessions): Concessions | undefined {
  const isAboutThinking = /signature|`?(redacted_)?thinking`? block|expected `(redacted_)?thinking`/i.test(message);
  return code === "llm-bad-request" && !without.reasoning && isAboutThinking
    ? { ...without, reasoning: true }
    : undefined;
}

const knownEvents = new Set([
  ..."message_start content_block_start content_block_delta content_block_stop message_delta message_stop".split(" "),
]);

/** The service reserves the right to send new kinds of events, which the package takes for broken ones. */
function isHarmless(error: unknown): boolean {
  const { name, value } = error as { readonly name?: unknown; readonly value?: unknown };
  if (name !== "AI_TypeValidationError" || typeof value !== "object" || value === null) return false;
  const { type } = value as { readonly type?: unknown };
  return typeof type === "string" && type !== "error" && !knownEvents.has(type);
}
