/**
 * Explains and mends what an import or an old database brought in. Such an agent works all the same, because prompts
 * leave faults out; this names them, and makes the stored context sound. Messages are never changed or deleted.
 */
import type { ContextItem } from "../../memory/context-repair.ts";
import { searchTextOf } from "../../memory/search-text.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { Agent } from "../../store/agents/agents.ts";
import { forceEndRun, lockConversations } from "../../store/agents/repair.ts";
import {
  type Conversation,
  insertConversation,
  replaceEntries,
  updateConversation,
} from "../../store/conversations/conversations.ts";
import { insertMessages, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { dropOpenApproval } from "../../store/runs/approvals.ts";
import { compilePrompt, storePrompt } from "../conversations/conversation-prompt.ts";
import { type ConversationDiagnosis, type Diagnosis, diagnoseAgent } from "./agent-diagnosis.ts";
import { describeFindings, type RepairFinding } from "./repair-findings.ts";

export interface RepairReport {
  readonly agentId: string;
  readonly agentName: string;
  /** What was there before anything was done. */
  readonly findings: readonly RepairFinding[];
  readonly isFixed: boolean;
  /** What is there now. */
  readonly remaining: readonly RepairFinding[];
}

export interface RepairService {
  /** Looks, and changes nothing. */
  examine(actor: Actor, agentId: string): Promise<RepairReport>;
  /** Mends everything it finds, in one transaction. */
  fix(actor: Actor, agentId: string): Promise<RepairReport>;
}

export function createRepairService(runtime: Runtime): RepairService {
  return {
    examine: (actor, agentId) => examineAgent(readScope(runtime, actor), agentId),
    fix: (actor, agentId) => write(runtime, actor, (scope) => fixAgent(scope, actor, agentId)),
  };
}

export async function examineAgent(scope: Scope, agentId: string): Promise<RepairReport> {
  const diagnosis = await diagnoseAgent(scope, agentId);
  const findings = describeFindings(diagnosis);
  return { agentId, agentName: diagnosis.agent.name, findings, isFixed: false, remaining: findings };
}

export async function fixAgent(scope: Scope, actor: Actor, agentId: string): Promise<RepairReport> {
  await lockConversations(scope, agentId);
  const diagnosis = await diagnoseAgent(scope, agentId);
  const findings = describeFindings(diagnosis);
  if (findings.length > 0) await repair(scope, actor, await closeQuestions(scope, diagnosis));
  const remaining = findings.length > 0 ? describeFindings(await diagnoseAgent(scope, agentId)) : [];
  return { agentId, agentName: diagnosis.agent.name, findings, isFixed: findings.length > 0, remaining };
}

/** A context that is written anew waits for nobody: what it had asked is found again, as something to be closed. */
async function closeQuestions(scope: Scope, diagnosis: Diagnosis): Promise<Diagnosis> {
  const unsound = diagnosis.conversations.filter(isUnsound);
  for (const { conversation } of unsound) await dropOpenApproval(scope, conversation.id);
  return unsound.length > 0 ? await diagnoseAgent(scope, diagnosis.agent.id) : diagnosis;
}

function isUnsound({ missingIds, context }: ConversationDiagnosis): boolean {
  return missingIds.length > 0 || context.faults.length > 0;
}

async function repair(scope: Scope, actor: Actor, { agent, conversations, runs }: Diagnosis): Promise<void> {
  for (const { run, why, reason } of runs) await forceEndRun(scope, run, reason, `ended by a repair: ${why}`);
  for (const diagnosis of conversations) await repairConversation(scope, actor, agent, diagnosis);
  if (conversations.some(({ conversation }) => conversation.isDefault)) return;
  const input = { id: scope.newId("conv"), agentId: agent.id, isDefault: true, systemMessageId: null };
  const conversation = await insertConversation(scope, { ...input, createdBy: actor.userId });
  await writeSystemMessage(scope, actor, agent, conversation);
}

async function repairConversation(
  scope: Scope,
  actor: Actor,
  agent: Agent,
  diagnosis: ConversationDiagnosis,
): Promise<void> {
  const { conversation, isSystemMissing, isSummaryMissing, context } = diagnosis;
  if (isSummaryMissing) await updateConversation(scope, conversation.id, { summaryMessageId: null });
  const watermarks = isUnsound(diagnosis)
    ? await replaceEntries(scope, conversation, await writeItems(scope, actor, conversation, context.items))
    : {};
  if (isSystemMissing) await writeSystemMessage(scope, actor, agent, { ...conversation, ...watermarks });
}

/** The list of messages that becomes the context; results that were missing are written first. */
async function writeItems(
  scope: Scope,
  actor: Actor,
  conversation: Conversation,
  items: readonly ContextItem[],
): Promise<string[]> {
  const messages = items.map((item) => {
    if ("message" in item) return { message: item.message, isNew: false };
    const [first] = item.results;
    const message = newMessage(scope, {
      agentId: conversation.agentId,
      conversationId: conversation.id,
      role: "tool",
      name: first?.name ?? null,
      toolCallId: first?.callId ?? null,
      toolReturns: item.results,
      createdBy: actor.userId,
      updatedBy: actor.userId,
    });
    return { message: { ...message, searchText: searchTextOf(message) }, isNew: true };
  });
  await insertMessages(
    scope,
    messages.filter(({ isNew }) => isNew).map(({ message }) => message),
  );
  return messages.map(({ message }) => message.id);
}

async function writeSystemMessage(scope: Scope, actor: Actor, agent: Agent, conversation: Conversation): Promise<void> {
  const message = newMessage(scope, {
    agentId: agent.id,
    conversationId: conversation.id,
    role: "system",
    inContext: false,
    model: agent.model.model,
    createdBy: actor.userId,
    updatedBy: actor.userId,
  });
  await insertMessages(scope, [message]);
  await updateConversation(scope, conversation.id, { systemMessageId: message.id });
  const mended = { ...conversation, systemMessageId: message.id };
  await storePrompt(scope, mended, await compilePrompt(scope, mended, agent));
}
