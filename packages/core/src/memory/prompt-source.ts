/** What a system message is compiled from, as it is stored now. */
import { createHash } from "node:crypto";
import type { Agent } from "../store/agents/agents.ts";
import { type ArchivalCounts, countArchival, nothingArchived } from "../store/archives/archival-counts.ts";
import type { Block } from "../store/blocks/blocks.ts";
import { loadCoreMemory } from "../store/blocks/core-memory.ts";
import type { Conversation } from "../store/conversations/conversations.ts";
import { countMessages } from "../store/conversations/messages.ts";
import type { Scope } from "../store/engine/scope.ts";
import { type Directory, loadDirectories } from "../store/files/directories.ts";
import type { TurnHead } from "../store/runs/turn-head.ts";
import type { PromptInput } from "./compile.ts";

export interface PromptSource {
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly isGit: boolean;
  readonly blocks: readonly Block[];
  readonly archival: ArchivalCounts;
  readonly directories: readonly Directory[];
}

export async function loadPromptSource(scope: Scope, head: TurnHead): Promise<PromptSource> {
  const { agent, conversation, isGit } = head;
  return {
    agent,
    conversation,
    isGit,
    blocks: await loadCoreMemory(scope, agent.id, conversation.id),
    archival: head.hasArchives ? await countArchival(scope, agent.id) : nothingArchived,
    directories: head.hasFolders ? await loadDirectories(scope, agent.id) : [],
  };
}

/** Changes exactly when the compiled text would, the time and the number of earlier messages aside. */
export function promptKey({ agent, isGit, blocks, archival, directories }: PromptSource): string {
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

/** With so many messages in context after the system message. */
export async function toPromptInput(scope: Scope, source: PromptSource, contextLength: number): Promise<PromptInput> {
  const { agent, conversation, archival } = source;
  const stored = await countMessages(scope, agent.id);
  return {
    agentId: agent.id,
    kind: agent.kind,
    system: agent.system,
    timezone: agent.timezone,
    blocks: source.blocks,
    isGit: source.isGit,
    toolRules: agent.toolRules,
    directories: source.directories,
    directoryLimits: { maxFilesOpen: agent.maxFilesOpen, viewChars: agent.fileViewChars },
    endpointKind: agent.model.endpointKind,
    conversationId: conversation.isDefault ? "default" : conversation.id,
    compiledAt: scope.now(),
    // The system message is stored too and is in context.
    recallCount: Math.max(0, stored - contextLength - 1),
    archivalCount: archival.count,
    archivalTags: archival.tags,
  };
}
