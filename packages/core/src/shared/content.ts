/** Message content; parts keep the order and the signatures that providers require when they are sent back. */
import type { JsonValue } from "./json.ts";

export type ContentPart =
  | { readonly type: "text"; readonly text: string; readonly signature?: string }
  | { readonly type: "image"; readonly source: ImageSource }
  | {
      readonly type: "reasoning";
      readonly text: string;
      readonly signature?: string;
      /** Native reasoning of the model; false for a thought that the prompt asked for. */
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
      /** Hash of the URL the image was fetched from. */
      readonly origin?: string;
    }
  /** Images are stored once per organization by hash; `data` is set only where a message is read back. */
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
  /** False for a call that is paused only because another call of the same message needs approval. */
  readonly isAsked?: false;
}

export interface ToolReturn {
  readonly callId: string;
  readonly name: string;
  readonly status: "success" | "error";
  /** The text shown to the model. */
  readonly output: string;
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
}

/** A message as sent to a model. */
export type PromptMessage =
  | { readonly role: "user"; readonly content: readonly ContentPart[]; readonly name?: string }
  /** A system message in the middle of a conversation. */
  | { readonly role: "system"; readonly content: readonly ContentPart[] }
  | {
      readonly role: "assistant";
      readonly content: readonly ContentPart[];
      readonly toolCalls: readonly ToolCall[];
      /** Continues the assistant message before it. */
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
  /** Null if the provider does not report it. */
  readonly cachedTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  /** False if the provider reported no usage; all counts are then 0. */
  readonly isReported?: boolean;
}

/** The text of a message, without its images and reasoning. */
export function textOf(content: readonly ContentPart[] | null | undefined, separator = ""): string {
  return (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join(separator);
}
