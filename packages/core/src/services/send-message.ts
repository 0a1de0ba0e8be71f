/** What can be sent to an agent, and what can be said of it before anything is written. */
import type { Actor } from "../actor.ts";
import { findAddressFault } from "../addresses.ts";
import type { ApprovalAnswer } from "../approval.ts";
import type { CompactionSettings } from "../compaction-settings.ts";
import type { ContentPart, ToolDefinition } from "../content.ts";
import { invalidInput, MemoirError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Loop } from "../loop/loop.ts";
import type { ModelConfig } from "../model-config.ts";
import type { ClientSkill } from "../store/runs.ts";

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

export interface InputMessage {
  readonly role: "user" | "system" | "assistant";
  readonly content: readonly ContentPart[];
  readonly name?: string | null;
  readonly otid?: string | null;
  readonly senderId?: string | null;
  readonly groupId?: string | null;
  readonly batchItemId?: string | null;
}

/** What a run is made of: a message that was sent, or a context to be made shorter. */
export interface Accepted extends SendMessage {
  readonly modelConfig: ModelConfig | null;
  readonly compaction?: Partial<CompactionSettings>;
}

export const defaultMaxSteps = 50;

/** Everything that can be said of it before anything is written; a provider may have to be asked for its model. */
export async function prepareSend(
  loop: Loop,
  { orgId }: Actor,
  given: SendMessage,
  allowedHosts: readonly string[] = [],
): Promise<Accepted> {
  const { messages, maxSteps = defaultMaxSteps, callbackUrl, model } = given;
  if (given.approval?.answers.length === 0) throw noAnswers();
  if (messages.length === 0 && !given.approval) throw invalidInput("messages", "Messages must not be empty");
  if (maxSteps < 1) throw invalidInput("max_steps", `max_steps is ${maxSteps}; it must be at least 1`);
  for (const { content } of messages) {
    const hasSomething = content.some((part) => part.type !== "text" || part.text !== "");
    if (!hasSomething) throw invalidInput("content", "a message needs some content: text or an image");
  }
  checkCallback(callbackUrl, allowedHosts);
  return { ...given, modelConfig: model === undefined ? null : await loop.finder.resolve(orgId, model) };
}

export function checkCallback(address: string | undefined, allowedHosts: readonly string[]): void {
  const fault = address === undefined ? undefined : findAddressFault(address, allowedHosts);
  if (fault !== undefined) throw invalidInput("callback_url", `callback_url ${fault}`);
}

function noAnswers(): MemoirError {
  return new MemoirError("invalid-argument", "approvals must not be empty: answer every call that is asked", {
    details: { field: "approvals" },
  });
}
