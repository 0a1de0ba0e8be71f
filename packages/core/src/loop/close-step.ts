/** The end of a step: its messages enter the context, its row is written, and what follows is decided. */
import { heartbeatEnvelope } from "../memory/envelopes.ts";
import { searchTextOf } from "../memory/search-text.ts";
import { toPromptMessage } from "../memory/window.ts";
import type { PromptMessage, ToolCall, ToolReturn } from "../shared/content.ts";
import type { RunEvent } from "../shared/events.ts";
import { speaksByTool } from "../shared/kind-traits.ts";
import { insertMessages, type Message, newMessage } from "../store/conversations/messages.ts";
import type { Scope } from "../store/engine/scope.ts";
import type { RunRequest } from "../store/runs/runs.ts";
import { insertStep, type Step } from "../store/runs/steps.ts";
import { heartbeatArgument } from "../tools/parameters.ts";
import { concludeStep, type StepOutcome } from "./next-step.ts";
import type { OpenStep, RunState } from "./state.ts";
import { enterInput } from "./take-run.ts";
import type { Turn } from "./turn.ts";

export interface ClosedStep {
  readonly event: Extract<RunEvent, { type: "step-end" }>;
  readonly messages: readonly Message[];
}

export async function closeStep(scope: Scope, turn: Turn, state: RunState, open: OpenStep): Promise<ClosedStep> {
  const { agent, tools, traits } = turn;
  const conclusion = concludeStep(state, open, {
    rules: agent.toolRules,
    toolNames: tools.map(({ name }) => name),
    speaksByTool: traits.speaksByTool,
  });
  if (open.resumed) return await closeResumed(scope, turn, open, conclusion);
  const { continues, reason, note } = conclusion;
  const isLast = continues && state.steps + 1 >= turn.run.request.maxSteps;
  const messages = await writeMessages(scope, turn, open, continues && !isLast, isLast ? null : note);
  const stopReason = continues ? (isLast ? "max_steps" : null) : reason;
  await insertStep(scope, { ...stepOf(scope, turn, open.reply), toolNs: open.toolNs, status: "success", stopReason });
  return { event: { type: "step-end", continues, reason }, messages };
}

/** Its reply and its row are there already. What came together with the answers follows them, and is answered. */
async function closeResumed(
  scope: Scope,
  turn: StepOwner,
  open: OpenStep,
  { continues, reason, note }: StepOutcome,
): Promise<ClosedStep> {
  const hasMore = turn.run.request.input.length > 0;
  const messages = await writeMessages(scope, turn, open, true, hasMore ? null : note);
  await enterInput(scope, turn.run, false);
  return { event: { type: "step-end", continues: continues || hasMore, reason: hasMore ? null : reason }, messages };
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

/** What all messages of a step have in common. */
export function originOf({ run, agent, model }: StepOwner, stepId: string) {
  return {
    agentId: agent.id,
    conversationId: run.conversationId,
    model: model.model,
    runId: run.id,
    stepId,
    createdBy: run.createdBy,
    updatedBy: run.createdBy,
  };
}

function composeMessages(
  scope: Scope,
  owner: StepOwner,
  open: OpenStep,
  goesOn: boolean,
  note: string | null,
): Message[] {
  const { agent } = owner;
  const { reply } = open;
  const origin = originOf(owner, reply.stepId);
  const { content } = reply;
  const toolCalls = speaksByTool(agent.kind)
    ? reply.toolCalls.map((call) => withDecision(call, goesOn))
    : reply.toolCalls;
  const messages: Message[] = [];
  if (!open.resumed && (content.length > 0 || toolCalls.length > 0)) {
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
    const returns = listReturns(open);
    const ran = returns.find(({ callId }) => !open.resumed?.answered.includes(callId));
    messages.push(
      newMessage(scope, {
        ...origin,
        id: reply.resultsMessageId,
        role: "tool",
        name: ran?.name ?? null,
        toolCallId: returns[0]?.callId ?? null,
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

/** In the order of the calls; what was answered from outside comes first. */
function listReturns({ reply, results, resumed }: OpenStep): ToolReturn[] {
  const returns = reply.toolCalls.flatMap(({ id }) => results.get(id) ?? []);
  if (!resumed) return returns;
  const isAnswer = ({ callId }: ToolReturn) => resumed.answered.includes(callId);
  const edits = new Map(reply.toolCalls.map((call) => [call.id, call.arguments]));
  const shown = returns.map((item) =>
    resumed.edited.includes(item.callId)
      ? { ...item, output: `[The user changed the arguments to ${edits.get(item.callId)}]\n${item.output}` }
      : item,
  );
  return [...shown.filter(isAnswer), ...shown.filter((item) => !isAnswer(item))];
}

/** Nulls for a call that belongs to no run. */
type StepRun = {
  readonly id: string | null;
  readonly conversationId: string | null;
  readonly request?: Pick<RunRequest, "requestId">;
};

/** The part of a step's row that is the same however it ended. */
export function stepOf(
  scope: Scope,
  { run, agent, model }: Pick<StepOwner, "agent" | "model"> & { readonly run: StepRun },
  reply: Pick<OpenStep["reply"], "stepId" | "usage" | "modelNs" | "sight">,
): Omit<Step, "status" | "stopReason"> {
  const at = scope.now();
  return {
    id: reply.stepId,
    runId: run.id,
    agentId: agent.id,
    conversationId: run.conversationId,
    origin: null,
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
    requestId: run.request?.requestId ?? null,
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
