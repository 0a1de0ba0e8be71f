/**
 * Reading messages back. A system message is shown as it would be compiled now, whether or not a turn has done so;
 * images come with their data.
 */
import { compileIfChanged } from "../../loop/turn.ts";
import { withImageData } from "../../memory/images.ts";
import { notFound } from "../../shared/errors.ts";
import { getAgent } from "../../store/agents/agents.ts";
import {
  type ConversationPlace,
  findBySystemMessages,
  getPlace,
  listContextBodyIds,
} from "../../store/conversations/conversations.ts";
import {
  listConversationMessages,
  listMessages,
  type MessageFilter,
  type MessagePage,
} from "../../store/conversations/message-list.ts";
import { getLiveMessage, type Message } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { getRun } from "../../store/runs/runs.ts";
import { getListedStep } from "../../store/runs/step-list.ts";

export interface MessageListRequest {
  readonly page: MessagePage;
  readonly filter?: MessageFilter;
}

/** Of all its conversations, or of one of them: what was said there, without what that one took over from others. */
export async function listOfAgent(
  scope: Scope,
  agentId: string,
  { page, filter }: MessageListRequest,
  place?: ConversationPlace,
): Promise<Message[]> {
  await getAgent(scope, agentId);
  const of = place ? { conversationId: await findOwn(scope, agentId, place) } : { agentId };
  return await complete(scope, await listMessages(scope, of, page, filter));
}

async function findOwn(scope: Scope, agentId: string, place: ConversationPlace): Promise<string> {
  const conversation = await getPlace(scope, place);
  // Named as it was asked for: the id of another's conversation is not told.
  const asked = "conversationId" in place ? place.conversationId : place.agentId;
  if (conversation.agentId !== agentId) throw notFound("conversation", asked);
  return conversation.id;
}

/** All it has, what it took over from another one included. */
export async function listOfConversation(
  scope: Scope,
  conversationId: string,
  { page, filter }: MessageListRequest,
): Promise<Message[]> {
  const conversation = await getPlace(scope, { conversationId });
  return await complete(scope, await listConversationMessages(scope, conversation, page, filter));
}

/** Of all agents. */
export async function listOfAll(
  scope: Scope,
  { page, filter }: MessageListRequest,
  conversation?: { readonly id: string } | "default",
): Promise<Message[]> {
  const named =
    typeof conversation === "object" ? await getPlace(scope, { conversationId: conversation.id }) : undefined;
  const of = named ? { conversationId: named.id } : { inDefault: conversation === "default" };
  return await complete(scope, await listMessages(scope, of, page, filter));
}

export async function listOfRun(scope: Scope, runId: string, { page }: MessageListRequest): Promise<Message[]> {
  await getRun(scope, runId);
  return await withImageData(scope, await listMessages(scope, { runId }, page, { withErrors: true }));
}

export async function listOfStep(scope: Scope, stepId: string, { page }: MessageListRequest): Promise<Message[]> {
  await getListedStep(scope, stepId);
  return await withImageData(scope, await listMessages(scope, { stepId }, page, { withErrors: true }));
}

export async function getOne(scope: Scope, id: string): Promise<Message> {
  const [message] = await complete(scope, [await getLiveMessage(scope, id)]);
  if (!message) throw notFound("message", id);
  return message;
}

async function complete(scope: Scope, messages: readonly Message[]): Promise<Message[]> {
  return await withImageData(scope, await withFreshPrompts(scope, messages));
}

async function withFreshPrompts(scope: Scope, messages: readonly Message[]): Promise<Message[]> {
  const ids = messages.flatMap(({ id, role }) => (role === "system" ? [id] : []));
  const texts = new Map<string | null, string>();
  for (const conversation of await findBySystemMessages(scope, ids)) {
    const agent = await getAgent(scope, conversation.agentId);
    const body = await listContextBodyIds(scope, conversation);
    const prompt = await compileIfChanged(scope, agent, conversation, body.length);
    if (prompt) texts.set(conversation.systemMessageId, prompt.text);
  }
  return messages.map((message) => {
    const text = texts.get(message.id);
    return text === undefined ? message : { ...message, content: [{ type: "text", text }] };
  });
}
