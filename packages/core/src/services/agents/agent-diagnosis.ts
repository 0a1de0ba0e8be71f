/** What is wrong with an agent's conversations and runs, as an import or an old database may have left them. */
import { type RepairedContext, repairContext } from "../../memory/context-repair.ts";
import type { StopReason } from "../../shared/events.ts";
import { parseJsonObject } from "../../shared/json.ts";
import { type Agent, getAgent } from "../../store/agents/agents.ts";
import { listAgentConversations, listEntryIds, listOpenRunRows, type OpenRun } from "../../store/agents/repair.ts";
import { type Conversation, listContextMessages, listEntryMessages } from "../../store/conversations/conversations.ts";
import { messageEntity } from "../../store/conversations/messages.ts";
import { findByIds } from "../../store/engine/entity.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { findPendingApprovals } from "../../store/runs/approvals.ts";

export interface Diagnosis {
  readonly agent: Agent;
  readonly conversations: readonly ConversationDiagnosis[];
  readonly runs: readonly RunDiagnosis[];
}

export interface ConversationDiagnosis {
  readonly conversation: Conversation;
  readonly isSystemMissing: boolean;
  readonly isSummaryMissing: boolean;
  /** Messages the context names and nobody has. */
  readonly missingIds: readonly string[];
  readonly context: RepairedContext;
}

export interface RunDiagnosis {
  readonly run: OpenRun;
  readonly why: string;
  /** How it is to be ended. */
  readonly reason: StopReason;
}

export async function diagnoseAgent(scope: Scope, agentId: string): Promise<Diagnosis> {
  const agent = await getAgent(scope, agentId);
  const conversations: ConversationDiagnosis[] = [];
  for (const conversation of await listAgentConversations(scope, agentId)) {
    conversations.push(await diagnoseConversation(scope, conversation));
  }
  const runs = (await listOpenRunRows(scope, agentId)).flatMap((run) => diagnoseRun(run) ?? []);
  return { agent, conversations, runs };
}

async function diagnoseConversation(scope: Scope, conversation: Conversation): Promise<ConversationDiagnosis> {
  const { systemMessageId, summaryMessageId } = conversation;
  const headIds = [systemMessageId, summaryMessageId].filter((id) => id !== null);
  const heads = await findByIds(scope, messageEntity, headIds);
  const system = heads.find(({ id }) => id === systemMessageId);
  const summary = heads.find(({ id }) => id === summaryMessageId);
  const entries = await listEntryMessages(scope, conversation);
  const found = new Set(entries.map(({ id }) => id));
  const messages = [...entries, ...(await listContextMessages(scope, conversation, 0))];
  const asking = messages.filter(({ role }) => role === "approval").map(({ id }) => id);
  const awaited = await findPendingApprovals(scope, asking);
  return {
    conversation,
    isSystemMissing: system?.role !== "system",
    isSummaryMissing: summaryMessageId !== null && !summary,
    missingIds: (await listEntryIds(scope, conversation)).filter((id) => !found.has(id)),
    context: repairContext(messages, ({ id }) => awaited.has(id)),
  };
}

/** Undefined for a run that can be worked on. */
function diagnoseRun(run: OpenRun): RunDiagnosis | undefined {
  if (run.loggedEnd !== undefined) return { run, why: "its log says that it has ended", reason: run.loggedEnd };
  const reason = reasonsByStatus[run.status];
  if (reason) return { run, why: `its status is ${run.status}, without an end`, reason };
  if (!isReadable(run.request)) return { run, why: "what was asked of it cannot be read", reason: "error" };
  return undefined;
}

const reasonsByStatus: Readonly<Record<string, StopReason>> = {
  completed: "end_turn",
  failed: "error",
  cancelled: "cancelled",
};

/** Has what the loop needs to begin the run or to go on with it. */
function isReadable(text: string): boolean {
  const { input, maxSteps, firstStepId } = parseJsonObject(text) ?? {};
  return Array.isArray(input) && typeof maxSteps === "number" && typeof firstStepId === "string";
}
