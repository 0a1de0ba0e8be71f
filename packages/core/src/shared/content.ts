/** What messages are made of. Parts keep the order and the signatures a provider needs to see again. */
import type { JsonValue } from "./json.ts";

export type ContentPart =
  | { readonly type: "text"; readonly text: string; readonly signature?: string }
  | { readonly type: "image"; readonly source: ImageSource }
  | {
      readonly type: "reasoning";
      readonly text: string;
      readonly signature?: string;
      /** The model's own reasoning; otherwise a thought it was asked to write down. */
      readonly isNative: boolean;
    }
  | { readonly type: "redacted-reasoning"; readonly data: string }
  | { readonly type: "omitted-reasoning"; readonly signature?: string }
  | {
      readonly type: "summarized-reasoning";
      readonly id: string;
      readonly summary: readonly { readonly index: number; readonly text: string }[];
      readonly encrypted?: string;
    };

export type ImageSource =
  | { readonly type: "url"; readonly url: string; readonly detail?: string }
  | {
      readonly type: "base64";
      readonly mediaType: string;
      readonly data: string;
      readonly detail?: string;
      /** Hash of the address it was fetched from. */
      readonly origin?: string;
    }
  /** Kept once per organization under its hash, not in the message; with its data where a message is read back. */
  | {
      readonly type: "stored";
      readonly hash: string;
      readonly mediaType: string;
      readonly detail?: string;
      readonly origin?: string;
      readonly data?: string;
    };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
  readonly signature?: string;
  /** False for a call that only waits because another one of the same message is asked about. */
  readonly isAsked?: false;
}

export interface ToolReturn {
  readonly callId: string;
  readonly name: string;
  readonly status: "success" | "error";
  /** What the model is shown. */
  readonly output: string;
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
}

/** A message as a model is to see it. */
export type PromptMessage =
  | { readonly role: "user"; readonly content: readonly ContentPart[]; readonly name?: string }
  /** A message from the system in the middle of a conversation. */
  | { readonly role: "system"; readonly content: readonly ContentPart[] }
  | {
      readonly role: "assistant";
      readonly content: readonly ContentPart[];
      readonly toolCalls: readonly ToolCall[];
      /** Said in the same breath as the message of the agent right before it. */
      readonly isSequel?: true;
    }
  | { readonly role: "tool"; readonly returns: readonly ToolReturn[] };

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema of an object. */
  readonly parameters: { readonly [key: string]: JsonValue };
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** Null: the provider did not say. */
  readonly cachedTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  /** False: the provider counted nothing, and every count is 0. */
  readonly isReported?: boolean;
}
