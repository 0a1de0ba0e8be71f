/** What a diagnosis found, in plain words. */
import type { ContextFault, ContextFaultKind } from "../../memory/context-repair.ts";
import type { ConversationDiagnosis, Diagnosis } from "./agent-diagnosis.ts";

export type FindingKind =
  | ContextFaultKind
  | "missing-conversation"
  | "missing-system-message"
  | "missing-summary"
  | "missing-message"
  | "unworkable-run";

export interface RepairFinding {
  readonly kind: FindingKind;
  readonly conversationId: string | null;
  readonly messageId: string | null;
  readonly runId: string | null;
  readonly callIds: readonly string[];
  /** What is there. */
  readonly problem: string;
  /** What a repair does about it. */
  readonly remedy: string;
}

export function describeFindings({ agent, conversations, runs }: Diagnosis): RepairFinding[] {
  const hasDefault = conversations.some(({ conversation }) => conversation.isDefault);
  return [
    ...(hasDefault
      ? []
      : [
          finding("missing-conversation", {
            problem: `agent "${agent.name}" has no default conversation, so nobody can talk to it`,
            remedy: "an empty one is made",
          }),
        ]),
    ...conversations.flatMap(describeConversation),
    ...runs.map(({ run, why }) =>
      finding("unworkable-run", {
        conversationId: run.conversationId,
        runId: run.id,
        problem: `run ${run.id} is open and cannot be worked on: ${why}; messages behind it wait for ever`,
        remedy: "the run is ended",
      }),
    ),
  ];
}

function describeConversation(diagnosis: ConversationDiagnosis): RepairFinding[] {
  const { conversation, isSystemMissing, isSummaryMissing, missingIds, context } = diagnosis;
  const where = { conversationId: conversation.id };
  const heads: RepairFinding[] = [];
  if (isSystemMissing) {
    heads.push(
      finding("missing-system-message", {
        ...where,
        messageId: conversation.systemMessageId,
        problem: "the conversation has no system message, so the model is told neither who it is nor what it remembers",
        remedy: "one is compiled from the agent's instructions and blocks",
      }),
    );
  }
  if (isSummaryMissing) {
    heads.push(
      finding("missing-summary", {
        ...where,
        messageId: conversation.summaryMessageId,
        problem: `the conversation names the summary ${conversation.summaryMessageId}, which does not exist`,
        remedy: "the conversation goes on without it",
      }),
    );
  }
  return [
    ...heads,
    ...missingIds.map((messageId) =>
      finding("missing-message", {
        ...where,
        messageId,
        problem: `the context names message ${messageId}, which does not exist`,
        remedy: "it is left out of the context",
      }),
    ),
    ...context.faults.map((fault) => finding(fault.kind, { ...where, ...describeFault(fault) })),
  ];
}

function describeFault(fault: ContextFault): Pick<RepairFinding, "messageId" | "callIds" | "problem" | "remedy"> {
  const { messageId, callIds } = fault;
  return { messageId, callIds, ...faultTexts[fault.kind](messageId, callIds.join(", ")) };
}

type FaultText = (messageId: string, calls: string) => Pick<RepairFinding, "problem" | "remedy">;

const faultTexts: Readonly<Record<ContextFaultKind, FaultText>> = {
  "empty-message": (id) => ({
    problem: `message ${id} is empty, which providers refuse`,
    remedy: "it is left out of the context",
  }),
  "orphan-result": (id, calls) => ({
    problem: `message ${id} holds results of calls that nobody made (${calls})`,
    remedy: "they are left out of the context",
  }),
  "unanswered-call": (id, calls) => ({
    problem: `message ${id} makes calls that have no result (${calls})`,
    remedy: "a result is added that says that none was kept",
  }),
  "split-results": (id, calls) => ({
    problem: `message ${id} holds results (${calls}) that belong into one message with those before it`,
    remedy: "they are put together in a new one",
  }),
  "stuck-approval": (id, calls) => ({
    problem: `message ${id} waits for an approval that nobody can give any more (${calls})`,
    remedy: "a result is added that says that the call was not approved and did not run",
  }),
};

function finding(
  kind: FindingKind,
  input: Pick<RepairFinding, "problem" | "remedy"> & Partial<RepairFinding>,
): RepairFinding {
  return { conversationId: null, messageId: null, runId: null, callIds: [], ...input, kind };
}
