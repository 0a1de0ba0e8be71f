/** The messages an agent's default conversation starts with. */
import { compileSystemMessage } from "../../memory/compile.ts";
import { loginEnvelope, systemEnvelope, userEnvelope } from "../../memory/envelopes.ts";
import { bootMessages } from "../../memory/prompts.ts";
import type { Actor } from "../../shared/actor.ts";
import { kindTraits } from "../../shared/kind-traits.ts";
import type { Agent } from "../../store/agents/agents.ts";
import type { Block } from "../../store/blocks/blocks.ts";
import { insertConversation } from "../../store/conversations/conversations.ts";
import { insertMessages, type Message, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";

export interface InitialMessage {
  readonly role: "user" | "system" | "assistant";
  readonly text: string;
  readonly name?: string | null;
  readonly otid?: string | null;
  readonly senderId?: string | null;
}

export interface FirstWords {
  readonly blocks: readonly Block[];
  readonly isGit: boolean;
  readonly initialMessages: readonly InitialMessage[] | undefined;
}

export async function startConversation(
  scope: Scope,
  actor: Actor,
  agent: Agent,
  { blocks, isGit, initialMessages }: FirstWords,
): Promise<string[]> {
  const conversationId = scope.newId("conv");
  const write = createWriter(scope, actor, agent, conversationId);
  const system = write({ role: "system", content: text(compileFirst(agent, blocks, isGit)), inContext: false });
  const rest = initialMessages
    ? initialMessages.flatMap((message) => toMessages(write, agent, message))
    : bootSequence(write, agent);
  await insertConversation(scope, {
    id: conversationId,
    agentId: agent.id,
    isDefault: true,
    systemMessageId: system.id,
    createdBy: actor.userId,
  });
  const messages = [system, ...rest];
  await insertMessages(scope, messages);
  return messages.map(({ id }) => id);
}

/** The canned exchange of older kinds once more, in a context that was emptied. */
export async function addBootSequence(scope: Scope, actor: Actor, agent: Agent, conversationId: string): Promise<void> {
  const now = { ...agent, createdAt: scope.now() };
  await insertMessages(scope, bootSequence(createWriter(scope, actor, now, conversationId), now));
}

function compileFirst(agent: Agent, blocks: readonly Block[], isGit: boolean): string {
  return compileSystemMessage({
    agentId: agent.id,
    kind: agent.kind,
    system: agent.system,
    timezone: agent.timezone,
    blocks,
    isGit,
    toolRules: agent.toolRules,
    // Folders come with the first turn: they are attached after the agent is made.
    directories: [],
    directoryLimits: { maxFilesOpen: agent.maxFilesOpen, viewChars: agent.fileViewChars },
    endpointKind: agent.model.endpointKind,
    conversationId: "default",
    compiledAt: agent.createdAt,
    recallCount: 0,
    archivalCount: 0,
    archivalTags: [],
  });
}

type Write = (message: Pick<Message, "role"> & Partial<Message>) => Message;

function createWriter(scope: Scope, actor: Actor, agent: Agent, conversationId: string): Write {
  return (message) =>
    newMessage(scope, {
      agentId: agent.id,
      conversationId,
      model: agent.model.model,
      createdBy: actor.userId,
      updatedBy: actor.userId,
      ...message,
    });
}

const text = (value: string) => [{ type: "text" as const, text: value }];

function bootSequence(write: Write, agent: Agent): Message[] {
  if (!kindTraits[agent.kind].hasBootSequence) return [];
  const time = { at: agent.createdAt, timezone: agent.timezone };
  return [
    ...speakByTool(write, bootMessages.greeting, bootMessages.thought),
    write({ role: "user", content: text(loginEnvelope(time)) }),
  ];
}

/** Older kinds get their events in envelopes and speak through a tool; newer ones in plain text. */
function toMessages(write: Write, agent: Agent, input: InitialMessage): Message[] {
  const { speaksByTool } = kindTraits[agent.kind];
  const time = { at: agent.createdAt, timezone: agent.timezone };
  const origin = { name: input.name ?? null, otid: input.otid ?? null, senderId: input.senderId ?? null };
  switch (input.role) {
    case "user": {
      const packed = speaksByTool ? userEnvelope(input.text, time, input.name) : input.text;
      return [write({ role: "user", content: text(packed), searchText: input.text, ...origin })];
    }
    case "system": {
      const packed = speaksByTool ? systemEnvelope(input.text, time) : input.text;
      return [write({ role: "system", content: text(packed), ...origin })];
    }
    case "assistant":
      return speaksByTool
        ? speakByTool(write, input.text, null)
        : [write({ role: "assistant", content: text(input.text), searchText: input.text, ...origin })];
  }
}

function speakByTool(write: Write, message: string, thought: string | null): Message[] {
  const call = write({ role: "assistant", searchText: message, content: thought === null ? null : text(thought) });
  const callId = `call_${call.id.slice("message-".length).replaceAll("-", "").slice(0, 24)}`;
  const output = "None";
  return [
    { ...call, toolCalls: [{ id: callId, name: "send_message", arguments: JSON.stringify({ message }) }] },
    write({
      role: "tool",
      name: "send_message",
      toolCallId: callId,
      toolReturns: [{ callId, name: "send_message", status: "success", output }],
    }),
  ];
}
