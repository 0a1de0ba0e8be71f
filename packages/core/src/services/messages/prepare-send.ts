/** What can be said of a message before anything is written. */
import type { Loop } from "../../loop/loop.ts";
import { findAddressFault } from "../../network/private-addresses.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput, MemoirError } from "../../shared/errors.ts";
import type { ConversationPlace } from "../../store/conversations/conversations.ts";
import type { ImageFetch } from "./fetch-image.ts";
import { listKnownParts } from "./idempotency.ts";
import { areReady, type ImageBudget, resolveImages } from "./input-images.ts";
import { type Accepted, defaultMaxSteps, type ReadyMessage, type SendMessage } from "./send-message.ts";

export interface SendSettings {
  /** Hosts inside the own network that may be told of the end of a run. */
  readonly allowedHosts: readonly string[];
  readonly images: ImageFetch;
}

/**
 * Everything that can be said of it before anything is written; a provider may have to be asked for its model, and other
 * hosts for images.
 */
export async function prepareSend(
  loop: Loop,
  actor: Actor,
  place: ConversationPlace,
  input: SendMessage,
  settings: SendSettings,
  budget: ImageBudget = { images: 0, bytes: 0 },
): Promise<Accepted> {
  checkSend(input, settings);
  const { model } = input;
  const modelConfig = model === undefined ? null : await loop.finder.resolve(actor.orgId, model);
  return { ...input, modelConfig, messages: await readyMessages(loop, actor, place, input, settings, budget) };
}

async function readyMessages(
  { store }: Loop,
  { orgId }: Actor,
  place: ConversationPlace,
  input: SendMessage,
  { images }: SendSettings,
  budget: ImageBudget,
): Promise<readonly ReadyMessage[]> {
  if (areReady(input.messages)) return input.messages;
  const scope = store.read(orgId);
  const known = await listKnownParts(scope, place, input);
  return await resolveImages({ scope, fetching: images, budget, known }, input.messages);
}

function checkSend(input: SendMessage, { allowedHosts }: SendSettings): void {
  const { messages, maxSteps = defaultMaxSteps, callbackUrl } = input;
  if (input.approval?.answers.length === 0) throw noAnswers();
  if (messages.length === 0 && !input.approval) throw invalidInput("messages", "Messages must not be empty");
  if (maxSteps < 1) throw invalidInput("max_steps", `max_steps is ${maxSteps}; it must be at least 1`);
  for (const { content } of messages) {
    const hasSomething = content.some((part) => part.type !== "text" || part.text !== "");
    if (!hasSomething) throw invalidInput("content", "a message needs some content: text or an image");
  }
  checkCallback(callbackUrl, allowedHosts);
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
