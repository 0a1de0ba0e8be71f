/**
 * What the next turn of a conversation would show the model, part by part, and how much of the window each part takes.
 * Nothing is kept: the prompt is compiled for looking at it.
 */
import { findCached } from "../../loop/context/context-cache.ts";
import type { Loop } from "../../loop/loop.ts";
import { showContext } from "../../loop/model-call/request.ts";
import { chooseModel } from "../../loop/turn.ts";
import { compileSections, joinSections, type PromptSections, readInstructions } from "../../memory/compile.ts";
import { readSummary } from "../../memory/envelopes.ts";
import { withImageData } from "../../memory/images.ts";
import { loadPromptSource, toPromptInput } from "../../memory/prompt-source.ts";
import { loadCounter, sumMessages, type TokenCounter, textsOf } from "../../memory/tokens.ts";
import { dropUnpairedCalls, packReturn, toPromptMessage } from "../../memory/window.ts";
import { type Runtime, readScope } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { type PromptMessage, type ToolDefinition, textOf } from "../../shared/content.ts";
import { notFound } from "../../shared/errors.ts";
import { kindTraits } from "../../shared/kind-traits.ts";
import { countArchival } from "../../store/archives/archival-counts.ts";
import {
  type Conversation,
  getPlace,
  listContextMessages,
  listEntryMessages,
} from "../../store/conversations/conversations.ts";
import { countMessages, findMessage, type Message } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { getTurnHead } from "../../store/runs/turn-head.ts";
import { listAgentTools } from "../../store/tools/tools.ts";
import { offerTools } from "../../tools/offered-tools.ts";

export interface ContextPart {
  /** Empty where there is nothing of the kind. */
  readonly text: string;
  readonly tokens: number;
}

export interface ContextOverview {
  /** The most the model takes, in tokens. */
  readonly contextWindow: number;
  /** What all parts take together. */
  readonly tokens: number;
  /** Passages in the agent's archives. */
  readonly archivalCount: number;
  /** Everything said to the agent and by it that is stored, in context or not. */
  readonly recallCount: number;
  /** The instructions alone. */
  readonly system: ContextPart;
  readonly coreMemory: ContextPart;
  /** Of a memory that is a folder: the files that are shown by their names only. */
  readonly memoryFiles: ContextPart;
  readonly toolRules: ContextPart;
  readonly directories: ContextPart;
  readonly metadata: ContextPart;
  readonly summary: ContextPart;
  readonly tools: readonly ToolDefinition[];
  readonly toolTokens: number;
  /**
   * The system message first, compiled as the next turn would; then the summary, if there is one. Results of tools are in
   * the envelope that the model sees.
   */
  readonly messages: readonly Message[];
  /** Without the system message and the summary. */
  readonly messageTokens: number;
}

export interface ContextService {
  /** Of an agent's default conversation, or of the one named. */
  overview(actor: Actor, agentId: string, conversationId?: string): Promise<ContextOverview>;
}

export function createContextService(runtime: Runtime, loop: Loop): ContextService {
  return {
    overview: async (actor, agentId, conversationId) => {
      const scope = readScope(runtime, actor);
      const conversation = await getPlace(scope, conversationId === undefined ? { agentId } : { conversationId });
      if (conversation.agentId !== agentId) throw notFound("conversation", conversation.id);
      return await overview(scope, loop, conversation.id);
    },
  };
}

async function overview(scope: Scope, loop: Loop, conversationId: string): Promise<ContextOverview> {
  const head = await getTurnHead(scope, conversationId);
  const { agent, conversation } = head;
  const { stored, shown } = await loadShown(scope, loop, conversation, agent.timezone);
  const source = await loadPromptSource(scope, head);
  const sections = compileSections(await toPromptInput(scope, source, stored.length));
  const model = await chooseModel(loop.finder, scope.orgId, { model: null }, head);
  const system = joinSections(sections);
  const { messages, tools } = showContext({
    agent,
    model,
    system,
    messages: shown,
    added: [],
    tools: offerTools(agent, await listAgentTools(scope, agent.id), loop.executors).tools,
    traits: kindTraits[agent.kind],
  });
  const counter = await loadCounter(model.endpointKind);
  const hasSummary = stored[0] !== undefined && isSummary(stored[0]);
  const parts = {
    ...weighSections(sections, counter),
    summary: weighSummary(hasSummary ? messages[0] : undefined, counter),
  };
  const toolTokens = counter.tools(tools);
  const messageTokens = await sumMessages(hasSummary ? messages.slice(1) : messages, counter);
  return {
    contextWindow: model.contextWindow,
    tokens: Object.values(parts).reduce((sum, { tokens }) => sum + tokens, toolTokens + messageTokens),
    archivalCount: (await countArchival(scope, agent.id)).count,
    recallCount: await countMessages(scope, agent.id),
    ...parts,
    tools,
    toolTokens,
    messages: await withImageData(scope, [
      ...(await showSystem(scope, conversation, system)),
      ...stored.map((message) => packReturns(message, agent.timezone)),
    ]),
    messageTokens,
  };
}

export interface Shown {
  /** After the system message, as they are stored. */
  readonly stored: readonly Message[];
  readonly shown: readonly PromptMessage[];
}

/** What a turn has read is used and left as it is: one may be under way. */
export async function loadShown(
  scope: Scope,
  { cache }: Loop,
  conversation: Conversation,
  timezone: string,
): Promise<Shown> {
  const known = findCached(cache, conversation, timezone);
  const { summaryMessageId } = conversation;
  const summary = summaryMessageId === null ? undefined : await findMessage(scope, summaryMessageId);
  const own = await listContextMessages(scope, conversation, 0);
  const stored = [...(summary ? [summary] : []), ...(await listEntryMessages(scope, conversation)), ...own];
  const fresh = known ? own.filter(({ seq }) => seq > known.lastSeq) : stored;
  const shown = dropUnpairedCalls(fresh.flatMap((message) => toPromptMessage(message, timezone) ?? []));
  return { stored, shown: known ? [...known.messages, ...shown] : shown };
}

async function showSystem(scope: Scope, { systemMessageId }: Conversation, text: string): Promise<Message[]> {
  const message = systemMessageId === null ? undefined : await findMessage(scope, systemMessageId);
  return message ? [{ ...message, content: [{ type: "text", text }] }] : [];
}

function packReturns(message: Message, timezone: string): Message {
  if (!message.toolReturns) return message;
  return { ...message, toolReturns: message.toolReturns.map((item) => packReturn(item, message, timezone)) };
}

/** Older data keeps summaries as something the user said, and forks as any message. */
function isSummary({ role, content }: Message): boolean {
  if (role === "summary") return true;
  const text = textOf(content);
  return role === "user" && readSummary(text) !== undefined;
}

function weighSections({ system, ...sections }: PromptSections, counter: TokenCounter) {
  const { text, copies } = readInstructions(system);
  const weigh = (section: string): ContextPart => ({
    text: section,
    tokens: section === "" ? 0 : counter.text(section) * copies,
  });
  return {
    system: { text, tokens: counter.text(text) },
    coreMemory: weigh(sections.memory),
    memoryFiles: weigh(sections.memoryFiles),
    toolRules: weigh(sections.toolRules),
    directories: weigh(sections.directories),
    metadata: weigh(sections.metadata),
  };
}

function weighSummary(message: PromptMessage | undefined, counter: TokenCounter): ContextPart {
  if (!message) return { text: "", tokens: 0 };
  return { text: textsOf(message).join("\n"), tokens: counter.message(message) };
}
