/** Calls that may not run before someone outside has answered: the step stays open, and the run ends with a question. */
import { searchTextOf } from "../../memory/search-text.ts";
import { hashCall } from "../../shared/approval.ts";
import type { ToolCall } from "../../shared/content.ts";
import type { RunEvent } from "../../shared/events.ts";
import { insertMessages, type Message, newMessage } from "../../store/conversations/messages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { insertApproval } from "../../store/runs/approvals.ts";
import type { Run } from "../../store/runs/runs.ts";
import { insertStep } from "../../store/runs/steps.ts";
import { isClientTool } from "../../tools/client-tools.ts";
import { allowedTools, type CallHistory, needsApproval } from "../../tools/rules.ts";
import { originOf, stepOf } from "../close-step.ts";
import type { OpenStep } from "../state.ts";
import { findRefusedArguments } from "../tool-calls/builtin-calls.ts";
import type { Turn } from "../turn.ts";

/** Whether a call of this tool would wait. One that the rules refuse does not: nobody could allow it. */
export function isAsked({ agent, tools }: Turn, history: CallHistory, name: string): boolean {
  const tool = tools.find((one) => one.name === name);
  if (!tool || !(isClientTool(tool) || needsApproval(agent.toolRules, name))) return false;
  const names = tools.map((one) => one.name);
  return allowedTools(agent.toolRules, names, history).includes(name);
}

export function callsNeedingApproval(turn: Turn, open: OpenStep): ToolCall[] {
  const { reply, history } = open;
  return reply.toolCalls.filter(
    // A client cannot repair arguments, so the model is told instead; people who approve can change them.
    (call) =>
      isAsked(turn, history, call.name) && !(isClientCall(turn, call) && findRefusedArguments(turn, open, call)),
  );
}

export interface Question {
  readonly event: Extract<RunEvent, { type: "step-end" }>;
  readonly messages: readonly Message[];
}

/** Nothing of the reply runs before everything that was asked is answered. */
export async function ask(scope: Scope, turn: Turn, open: OpenStep, asked: readonly ToolCall[]): Promise<Question> {
  const { agent, run } = turn;
  const { reply, history } = open;
  const messages = [composeQuestion(scope, turn, open, asked)];
  await insertMessages(scope, messages);
  await insertStep(scope, {
    ...stepOf(scope, turn, reply),
    status: "success",
    stopReason: "requires_approval",
  });
  const at = scope.now();
  const { stepId, messageId, resultsMessageId, toolCalls } = reply;
  await insertApproval(scope, {
    id: messageId,
    agentId: agent.id,
    conversationId: run.conversationId,
    runId: run.id,
    question: {
      stepId,
      messageId,
      resultsMessageId,
      toolCalls,
      asked: asked.map((call) => ({ callId: call.id, isClient: isClientCall(turn, call), hash: hashCall(call) })),
      called: history.called,
      ...(history.lastOutput === undefined ? {} : { lastOutput: history.lastOutput }),
      inputIds: listInputIds(run),
    },
    answers: [],
    resumedBy: null,
    expiresAt: scope.due() + timeoutOf(turn, asked) * 1_000,
    createdAt: at,
    endedAt: null,
  });
  return { event: { type: "step-end", continues: false, reason: "requires_approval" }, messages };
}

/** Of what the run is to answer, be it said to it or to those whose questions it goes on with. */
export function listInputIds({ request }: Run): string[] {
  return [...(request.approval?.question.inputIds ?? []), ...request.input.map(({ messageId }) => messageId)];
}

function isClientCall({ tools }: Turn, { name }: ToolCall): boolean {
  return tools.some((tool) => tool.name === name && isClientTool(tool));
}

/** As long as the slowest of those who are asked may take. */
function timeoutOf(turn: Turn, asked: readonly ToolCall[]): number {
  const { approvalMs, clientToolMs } = turn.timeout;
  return Math.max(...asked.map((call) => (isClientCall(turn, call) ? clientToolMs : approvalMs)));
}

/** One message, so that all parts of a reply have one id: what the agent said, and all calls. */
function composeQuestion(scope: Scope, turn: Turn, { reply }: OpenStep, asked: readonly ToolCall[]): Message {
  const origin = originOf(turn, reply.stepId);
  const toolCalls = reply.toolCalls.map((call) => (asked.includes(call) ? call : { ...call, isAsked: false as const }));
  const { messageId: id, content } = reply;
  const message = newMessage(scope, { ...origin, id, role: "approval", content, toolCalls });
  return { ...message, searchText: searchTextOf(message) };
}
