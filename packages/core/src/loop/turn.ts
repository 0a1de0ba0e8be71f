/** Everything a run needs to know about its agent, loaded once when the turn starts. */
import { createHash } from "node:crypto";
import type { PromptMessage } from "../content.ts";
import { compileSystemMessage } from "../memory/compile.ts";
import { getModel } from "../model/catalogue.ts";
import type { ModelConfig } from "../model-config.ts";
import type { Agent } from "../store/agents.ts";
import { type ArchivalCounts, countArchival, nothingArchived } from "../store/archival-counts.ts";
import type { Block } from "../store/blocks.ts";
import type { Conversation } from "../store/conversations.ts";
import { loadCoreMemory } from "../store/core-memory.ts";
import { type Directory, loadDirectories } from "../store/directories.ts";
import { countMessages, getMessage } from "../store/messages.ts";
import type { Run } from "../store/runs.ts";
import type { Scope } from "../store/scope.ts";
import { loadAgentTools, type Tool } from "../store/tools.ts";
import { getTurnHead, type TurnHead } from "../store/turn-head.ts";
import type { Executors } from "../tools/tool.ts";
import { type CompiledPrompt, type ContextCache, loadContext, rememberPrompt } from "./context-cache.ts";
import { type KindTraits, kindTraits } from "./kinds.ts";
import type { Loop } from "./loop.ts";

export interface Turn {
  readonly run: Run;
  readonly agent: Agent;
  readonly traits: KindTraits;
  readonly conversation: Conversation;
  readonly tools: readonly Tool[];
  readonly model: ModelConfig;
  /** Byte-stable for the whole turn. */
  readonly system: string;
  /** Set when the prompt was compiled anew: the next commit keeps it. */
  prompt: CompiledPrompt | undefined;
  /** The context when the turn started, the input included; shared with the cache. */
  readonly messages: readonly PromptMessage[];
  readonly hasImages: boolean;
  readonly executors: Executors;
  /** What the turn has added since. */
  readonly added: PromptMessage[];
}

export async function loadTurn(scope: Scope, { cache, executors }: Loop, run: Run): Promise<Turn> {
  const head = await getTurnHead(scope, run.conversationId);
  const { agent, conversation } = head;
  const { messages, hasImages } = await loadContext(scope, cache, conversation, agent.timezone);
  const prompt = await compileIfChanged(scope, agent, conversation, messages.length, head);
  return {
    run,
    agent,
    traits: kindTraits[agent.kind],
    conversation,
    tools: (await loadAgentTools(scope, [agent.id])).get(agent.id) ?? [],
    model: chooseModel(run, agent, conversation),
    system: run.request.system ?? prompt?.text ?? (await readPrompt(scope, cache, conversation)),
    prompt,
    messages,
    hasImages,
    executors,
    added: [],
  };
}

/** The request's model, else the conversation's, else the agent's; the agent's window holds for all of them. */
function chooseModel(run: Run, agent: Agent, conversation: Conversation): ModelConfig {
  const handle = run.request.model ?? conversation.model;
  // The conversation's settings are for its own model, not for one of this run only.
  const settings = run.request.model === null ? conversation.modelSettings : null;
  if (handle === null || handle === agent.model.handle) return { ...agent.model, ...settings };
  const other = getModel(handle);
  return { ...other, ...settings, contextWindow: Math.min(other.contextWindow, agent.model.contextWindow) };
}

/** Undefined while nothing the prompt is made of has changed since it was last compiled. */
export async function compileIfChanged(
  scope: Scope,
  agent: Agent,
  conversation: Conversation,
  contextLength: number,
  known?: TurnHead,
): Promise<CompiledPrompt | undefined> {
  const head = known ?? (await getTurnHead(scope, conversation.id));
  const blocks = await loadCoreMemory(scope, agent.id, conversation.id);
  const archival = head.hasArchives ? await countArchival(scope, agent.id) : nothingArchived;
  const directories = head.hasFolders ? await loadDirectories(scope, agent.id) : [];
  const key = promptKey(agent, blocks, archival, directories, head.isGit);
  if (key === conversation.promptKey) return undefined;
  const stored = await countMessages(scope, agent.id);
  const text = compileSystemMessage({
    agentId: agent.id,
    kind: agent.kind,
    system: agent.system,
    timezone: agent.timezone,
    blocks,
    isGit: head.isGit,
    toolRules: agent.toolRules,
    directories,
    directoryLimits: { maxFilesOpen: agent.maxFilesOpen, viewChars: agent.fileViewChars },
    endpointKind: agent.model.endpointKind,
    conversationId: conversation.isDefault ? "default" : conversation.id,
    compiledAt: scope.now(),
    // The system message is stored too and is in context.
    recallCount: Math.max(0, stored - contextLength - 1),
    archivalCount: archival.count,
    archivalTags: archival.tags,
  });
  return { key, text };
}

/** Changes exactly when the compiled text would, the time and the number of earlier messages aside. */
function promptKey(
  agent: Agent,
  blocks: readonly Block[],
  archival: ArchivalCounts,
  directories: readonly Directory[],
  isGit: boolean,
): string {
  const parts = [
    agent.kind,
    agent.system,
    agent.timezone,
    agent.toolRules,
    agent.model.endpointKind,
    blocks.map(({ id, version }) => [id, version]),
    isGit,
    archival,
    directories,
    directories.length > 0 ? [agent.maxFilesOpen, agent.fileViewChars] : [],
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}

async function readPrompt(scope: Scope, cache: ContextCache, conversation: Conversation): Promise<string> {
  const { id, promptKey, systemMessageId } = conversation;
  const remembered = cache.get(id)?.prompt;
  if (remembered && remembered.key === promptKey) return remembered.text;
  if (systemMessageId === null) return "";
  const { content } = await getMessage(scope, systemMessageId);
  const text = (content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
  if (promptKey !== null) rememberPrompt(cache, id, { key: promptKey, text });
  return text;
}
