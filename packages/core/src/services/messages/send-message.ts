/** What can be sent to an agent. */
import type { ApprovalAnswer } from "../../shared/approval.ts";
import type { CompactionSettings } from "../../shared/compaction-settings.ts";
import type { ContentPart, ImageSource, ToolDefinition } from "../../shared/content.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import type { ClientSkill } from "../../store/runs/runs.ts";

export interface SendMessage {
  /** May be empty where something else is answered. */
  readonly messages: readonly InputMessage[];
  /** Answers to what the conversation waits for; the messages follow them. */
  readonly approval?: ApprovalReply;
  /** Tools that the sender runs: a call of one ends the run and is answered like an approval. */
  readonly clientTools?: readonly ToolDefinition[];
  /** What the agent is told that it can have looked up. */
  readonly clientSkills?: readonly ClientSkill[];
  /** The same request made again finds the run of the first; messages that all have otids need none. */
  readonly key?: string;
  /** Another run of the conversation under way makes this one fail at once; otherwise it waits its turn. */
  readonly refusesBusy?: boolean;
  readonly maxSteps?: number;
  /** A model for this run only, by its handle. */
  readonly model?: string;
  /** Instructions for this run only, in place of the whole compiled prompt. */
  readonly system?: string;
  readonly kind?: string;
  readonly isBackground?: boolean;
  /** Replies can be watched piece by piece while they grow. */
  readonly streamsTokens?: boolean;
  /** What the sender's own log calls the request; steps carry it. */
  readonly requestId?: string;
  /** Kept with the run for whoever shows its answers. */
  readonly view?: JsonObject;
  /** Kept with the run. */
  readonly metadata?: JsonObject;
  /** Who is told over HTTP when the run has ended. */
  readonly callbackUrl?: string;
}

export interface ApprovalReply {
  readonly answers: readonly ApprovalAnswer[];
  readonly otid?: string | null;
}

/** An image that was stored before, by the beginning of its hash. */
export interface InputImage {
  readonly type: "reference";
  /** As the caller wrote it. */
  readonly id: string;
  readonly hashStart: string;
  readonly detail?: string;
}

export type InputPart =
  | Exclude<ContentPart, { type: "image" }>
  | { readonly type: "image"; readonly source: ImageSource | InputImage };

export interface InputMessage {
  readonly role: "user" | "system" | "assistant";
  readonly content: readonly InputPart[];
  readonly name?: string | null;
  readonly otid?: string | null;
  readonly senderId?: string | null;
  readonly groupId?: string | null;
  readonly batchItemId?: string | null;
}

/** With images in full, or stored. */
export interface ReadyMessage extends InputMessage {
  readonly content: readonly ContentPart[];
}

/** What a run is made of: a message that was sent, or a context to be made shorter. */
export interface Accepted extends SendMessage {
  readonly messages: readonly ReadyMessage[];
  readonly modelConfig: ModelConfig | null;
  readonly compaction?: Partial<CompactionSettings>;
}

export const defaultMaxSteps = 50;
