/** The end of a step: its messages enter the context, its row is written, and what follows is decided. */
import type { PromptMessage, ToolCall } from "../content.ts";
import type { RunEvent } from "../events.ts";
import { heartbeatEnvelope } from "../memory/envelopes.ts";
import { searchTextOf } from "../memory/search-text.ts";
import { toPromptMessage } from "../memory/window.ts";
import { insertMessages, type Message, newMessage } from "../store/messages.ts";
import type { Scope } from "../store/scope.ts";
import { insertStep, type Step } from "../store/steps.ts";
import { concludeStep } from "./conclude.ts";
import { speaksByTool } from "./kinds.ts";
import { heartbeatArgument } from "./request.ts";
import type { OpenStep, RunState } from "./state.ts";
import type { Turn } from "./turn.ts";

export interface ClosedStep {
  readonly event: Extract<RunEvent, { type: "step-end" }>;
  readonly messages: readonly Message[];
}

export async function closeStep(scope: Scope, turn: Turn, state: RunState, open: OpenStep): Promise<ClosedStep> {
  const { agent, tools, traits } = turn;
  const { continues, reason, note } = concludeStep(state, open, {
    rules: agent.toolRules,
    toolNames: tools.map(({ name }) => name),
    speaksByTool: traits.speaksByTool,
  });
  const isLast = continues && state.steps + 1 >= turn.run.request.maxSteps;
  const messages = await writeMessages(scope, turn, open, continues && !isLast, isLast ? null : note);
  const stopReason = continues ? (isLast ? "max_steps" : null) : reason;
  await insertStep(scope, { ...stepOf(scope, turn, open.reply), toolNs: open.toolNs, status: "success", stopReason });
  return { event: { type: "step-end", continues, reason }, messages };
}

/** Whose step it is. */
export type StepOwner = Pick<Turn, "run" | "agent" | "model">;

/** Older kinds see in their history whether they went on, not whether they had asked to. */
function withDecision(call: ToolCall, goesOn: boolean): ToolCall {
  try {
    const args: unknown = JSON.parse(call.arguments || "{}");
    if (typeof args !== "object" || args === null || Array.isArray(args)) return call;
    return { ...call, arguments: JSON.stringify({ ...args, [heartbeatArgument]: goesOn }) };
  } catch {
    return call;
  }
}

/** Every call of the step has its result by now. */
export async function writeMessages(
  scope: Scope,
  owner: StepOwner,
  open: OpenStep,
  goesOn: boolean,
  note: string | null,
): Promise<Message[]> {
  const messages = composeMessages(scope, owner, open, goesOn, note).map((message) => ({
    ...message,
    searchText: searchTextOf(message),
  }));
  await insertMessages(scope, messages);
  return messages;
}

function composeMessages(
  scope: Scope,
  { run, agent, model }: StepOwner,
  { reply, results }: OpenStep,
  goesOn: boolean,
  note: string | null,
): Message[] {
  const origin = {
    agentId: agent.id,
    conversationId: run.conversationId,
    model: model.model,
    runId: run.id,
    stepId: reply.stepId,
    createdBy: run.createdBy,
    updatedBy: run.createdBy,
  };
  const { content } = reply;
  const toolCalls = speaksByTool(agent.kind)
    ? reply.toolCalls.map((call) => withDecision(call, goesOn))
    : reply.toolCalls;
  const messages: Message[] = [];
  if (content.length > 0 || toolCalls.length > 0) {
    messages.push(
      newMessage(scope, {
        ...origin,
        id: reply.messageId,
        role: "assistant",
        content,
        toolCalls: toolCalls.length > 0 ? toolCalls : null,
      }),
    );
  }
  if (toolCalls.length > 0) {
    const returns = toolCalls.flatMap(({ id }) => results.get(id) ?? []);
    const first = returns[0];
    messages.push(
      newMessage(scope, {
        ...origin,
        id: reply.resultsMessageId,
        role: "tool",
        name: first?.name ?? null,
        toolCallId: first?.callId ?? null,
        toolReturns: returns,
      }),
    );
  }
  if (note !== null) {
    const text = heartbeatEnvelope(note, { at: scope.now(), timezone: agent.timezone });
    messages.push(newMessage(scope, { ...origin, role: "user", content: [{ type: "text", text }] }));
  }
  return messages;
}

/** The part of a step's row that is the same however it ended. */
export function stepOf(
  scope: Scope,
  { run, agent, model }: StepOwner,
  reply: Pick<OpenStep["reply"], "stepId" | "usage" | "modelNs" | "sight">,
): Omit<Step, "status" | "stopReason"> {
  const at = scope.now();
  return {
    id: reply.stepId,
    runId: run.id,
    agentId: agent.id,
    conversationId: run.conversationId,
    providerName: model.provider,
    providerCategory: model.category,
    model: model.model,
    modelHandle: model.handle,
    modelEndpoint: model.endpoint,
    contextWindow: model.contextWindow,
    promptTokens: reply.usage.promptTokens,
    completionTokens: reply.usage.completionTokens,
    totalTokens: reply.usage.totalTokens,
    cachedTokens: reply.usage.cachedTokens,
    cacheWriteTokens: reply.usage.cacheWriteTokens,
    reasoningTokens: reply.usage.reasoningTokens,
    errorType: null,
    errorData: null,
    modelNs: reply.modelNs,
    toolNs: null,
    totalNs: null,
    projectId: agent.projectId,
    systemHash: reply.sight?.systemHash ?? null,
    toolsHash: reply.sight?.toolsHash ?? null,
    requestHash: reply.sight?.requestHash ?? null,
    trail: reply.sight?.trail ?? null,
    createdAt: at,
    updatedAt: at,
  };
}

export function toPromptMessages(messages: readonly Message[], timezone: string): PromptMessage[] {
  return messages.flatMap((message) => toPromptMessage(message, timezone) ?? []);
}
