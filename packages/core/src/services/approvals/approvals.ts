/** What conversations wait for: looking at it, answering it call by call, giving it up. */
import type { Jobs } from "../../jobs/jobs.ts";
import type { Loop } from "../../loop/loop.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { ApprovalAnswer } from "../../shared/approval.ts";
import { invalidInput, notFound } from "../../shared/errors.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import {
  type Approval,
  type ApprovalFilter,
  findOpenApproval,
  getApproval,
  listOpenApprovals,
  updateApproval,
} from "../../store/runs/approvals.ts";
import type { Run } from "../../store/runs/runs.ts";
import { findSendHead, type SendHead } from "../../store/runs/send-head.ts";
import { resumeApproval } from "../messages/accept-answers.ts";
import { beginRun, whileAccepting } from "../messages/accept-message.ts";
import { checkEdits, listOpenCalls, mergeAnswers, nothingAsked } from "../messages/answer-approval.ts";

export interface AnsweredApproval {
  readonly approval: Approval;
  /** The run that goes on, once every call is answered. */
  readonly run: Run | undefined;
}

export interface ApprovalService {
  /** Those that wait, newest or oldest first. */
  list(actor: Actor, filter: ApprovalFilter, page: PageRequest): Promise<Approval[]>;
  get(actor: Actor, id: string): Promise<Approval>;
  /** What the conversation waits for, if it does. */
  findOf(actor: Actor, conversationId: string): Promise<Approval | undefined>;
  /** Some of the calls or all; with the last of them a run goes on. An answer that was given stays. */
  answer(actor: Actor, id: string, answers: readonly ApprovalAnswer[]): Promise<AnsweredApproval>;
}

export function createApprovalService(runtime: Runtime, loop: Loop, jobs: Jobs): ApprovalService {
  const read = (actor: Actor) => readScope(runtime, actor);
  return {
    list: (actor, filter, page) => listOpenApprovals(read(actor), filter, page),
    get: (actor, id) => getApproval(read(actor), id),
    findOf: (actor, conversationId) => findOpenApproval(read(actor), conversationId),
    answer: async (actor, id, answers) => {
      if (answers.length === 0) throw invalidInput("answers", "answers must not be empty");
      const { conversationId } = await getApproval(read(actor), id);
      return await whileAccepting(loop, jobs, actor, async (marks) => {
        marks.add(conversationId);
        const done = await write(runtime, actor, async (scope) => {
          const head = await getHead(scope, conversationId);
          return await takeAnswers(scope, actor, head, await getApproval(scope, id), answers);
        });
        if (done.run) beginRun(loop, jobs, actor, done.run);
        return done;
      });
    },
  };
}

async function getHead(scope: Scope, conversationId: string): Promise<SendHead> {
  const head = await findSendHead(scope, { conversationId });
  if (!head) throw notFound("conversation", conversationId);
  return head;
}

async function takeAnswers(
  scope: Scope,
  actor: Actor,
  head: SendHead,
  approval: Approval,
  input: readonly ApprovalAnswer[],
): Promise<AnsweredApproval> {
  if (approval.endedAt !== null) throw nothingAsked();
  const answers = mergeAnswers(approval, input);
  await checkEdits(scope, approval, input);
  if (listOpenCalls({ ...approval, answers }).length > 0) {
    await updateApproval(scope, approval.id, { answers });
    return { approval: { ...approval, answers }, run: undefined };
  }
  const message = { messages: [], modelConfig: null, isBackground: true, kind: "answer_approval" };
  const run = await resumeApproval(scope, actor, head, approval, answers, message);
  return { approval: await getApproval(scope, approval.id), run };
}
