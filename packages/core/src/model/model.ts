/** One interface for every language model: a request goes in, pieces come out, the whole reply comes last. */
import type { ContentPart, PromptMessage, ToolCall, ToolDefinition, Usage } from "../shared/content.ts";
import type { ModelConfig, ResponseFormat } from "../shared/model-config.ts";

export interface ModelRequest {
  readonly config: ModelConfig;
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly ToolDefinition[];
  /** `{ tool }` forces that one. */
  readonly toolChoice: "auto" | "required" | "none" | { readonly tool: string };
  readonly parallelToolCalls: boolean;
  readonly responseFormat: ResponseFormat | null;
  /** Stands for the caller at the provider; never a name. */
  readonly user?: string;
}

export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "other";

export interface ModelReply {
  readonly content: readonly ContentPart[];
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

export type ModelChunk =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "tool-call-start"; readonly callId: string; readonly name: string }
  | { readonly type: "tool-call-delta"; readonly callId: string; readonly arguments: string }
  /** Always the last, and whole: whoever does not stream needs nothing else. */
  | { readonly type: "reply"; readonly reply: ModelReply };

export interface Model {
  /** Throws a MemoirError with an `llm-…` code when the provider refuses; stops when the signal says so. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/** How to reach a provider: from the environment, or from a record a user stored. */
export interface ProviderAccess {
  /** Which kind of provider it is, for one that bears a name of its user's choice. */
  readonly type?: string;
  /** Bedrock: the secret that belongs to `accessKey`. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** Given by a caller of the API, not by the operator: its address is checked before it is called. */
  readonly isForeign?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bedrock: the id of the access key. */
  readonly accessKey?: string;
  /** Bedrock. */
  readonly region?: string;
  /** Azure. */
  readonly apiVersion?: string;
  /** Vertex. */
  readonly project?: string;
  /** Vertex. */
  readonly location?: string;
}
