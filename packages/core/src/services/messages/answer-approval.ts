/** Which answers fit what a conversation has asked. */
import type { ApprovalAnswer, AskedCall } from "../../shared/approval.ts";
import { invalidInput, isMemoirError, MemoirError } from "../../shared/errors.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { Approval } from "../../store/runs/approvals.ts";
import { listAgentTools } from "../../store/tools/tools.ts";
import { checkArguments, parseArguments } from "../../tools/arguments.ts";
import { ownArguments, parametersOf } from "../../tools/parameters.ts";

/** One for each call that is asked, those included that were answered before; otherwise an error. */
export function completeAnswers(approval: Approval, input: readonly ApprovalAnswer[]): ApprovalAnswer[] {
  const answers = input.map((answer) => nameCall(approval, answer));
  const ids = new Set(answers.map(({ callId }) => callId));
  const { asked } = approval.question;
  const before = new Set(approval.answers.map(({ callId }) => callId));
  const isWhole = asked.every(({ callId }) => ids.has(callId) || before.has(callId));
  if (!isWhole || ids.size !== answers.length || answers.some(({ callId }) => !findAskedCall(approval, callId))) {
    throw mismatch(
      asked.map(({ callId }) => callId),
      input.map(({ callId }) => callId),
    );
  }
  return mergeAnswers(approval, answers);
}

/** With those that were given before, which stay as they were. */
export function mergeAnswers(approval: Approval, answers: readonly ApprovalAnswer[]): ApprovalAnswer[] {
  const kept = new Map(approval.answers.map((answer) => [answer.callId, answer]));
  for (const answer of answers) {
    const asked = findAskedCall(approval, answer.callId);
    if (!asked) throw mismatch(listOpenCalls(approval), [answer.callId]);
    rejectOtherCall(asked, answer);
    if (!kept.has(answer.callId)) kept.set(answer.callId, answer);
  }
  return [...kept.values()];
}

/** Calls that nobody has answered yet. */
export function listOpenCalls({ question, answers }: Approval): string[] {
  const before = new Set(answers.map(({ callId }) => callId));
  return question.asked.map(({ callId }) => callId).filter((id) => !before.has(id));
}

function findAskedCall({ question }: Approval, callId: string): AskedCall | undefined {
  return question.asked.find((call) => call.callId === callId);
}

/** Where a single call is asked, the message that asks may be named in its place. */
function nameCall({ id, question }: Approval, answer: ApprovalAnswer): ApprovalAnswer {
  const [only, ...others] = question.asked;
  return only && others.length === 0 && answer.callId === id ? { ...answer, callId: only.callId } : answer;
}

function rejectOtherCall(asked: AskedCall, { hash, callId }: ApprovalAnswer): void {
  if (hash === undefined || hash === asked.hash) return;
  throw new MemoirError(
    "conflict",
    `the answer to ${callId} is for other arguments than those that wait: look at the call again and answer it anew`,
    { details: { field: "hash" } },
  );
}

/** What someone wrote in place of the model's arguments has to fit the tool as well. */
export async function checkEdits(
  scope: Scope,
  { agentId, question }: Approval,
  answers: readonly ApprovalAnswer[],
): Promise<void> {
  const edits = answers.flatMap((answer) =>
    answer.type === "approve" && answer.arguments !== undefined ? [{ ...answer, text: answer.arguments }] : [],
  );
  if (edits.length === 0) return;
  const tools = await listAgentTools(scope, agentId);
  for (const { callId, text } of edits) {
    const name = question.toolCalls.find(({ id }) => id === callId)?.name;
    const tool = tools.find((each) => each.name === name);
    rejectUnfit(callId, () => {
      const args = ownArguments(parseArguments(text));
      if (tool) checkArguments(tool.name, parametersOf(tool), args);
    });
  }
}

/** What a model would be told is told to whoever wrote them. */
function rejectUnfit(callId: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isMemoirError(error, "tool-failed")) throw error;
    throw invalidInput("arguments", `the arguments given for ${callId} cannot be used: ${error.message}`);
  }
}

function mismatch(expected: readonly string[], received: readonly string[]): MemoirError {
  const list = (ids: readonly string[]) => `[${ids.map((id) => `'${id}'`).join(", ")}]`;
  return new MemoirError(
    "approval-mismatch",
    `Invalid tool call IDs. Expected '${list(expected)}', but received '${list(received)}'.`,
    { details: { field: "approvals" } },
  );
}

export function nothingAsked(): MemoirError {
  return new MemoirError(
    "approval-mismatch",
    "Cannot process approval response: No tool call is currently awaiting approval. " +
      "Please send a regular message to interact with the agent.",
    { details: { field: "approvals" } },
  );
}

export function stillAsking({ id }: Approval): MemoirError {
  return new MemoirError(
    "approval-pending",
    "Cannot send a new message: The agent is waiting for approval on a tool call. " +
      "Please approve or deny the pending request before continuing.",
    { details: { entity: "approval", id } },
  );
}
