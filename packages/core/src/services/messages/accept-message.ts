/** Taking messages in: one commit with the run, and its input unless others have to be answered first. */
import type { Jobs } from "../../jobs/jobs.ts";
import type { Loop } from "../../loop/loop.ts";
import { storeImages } from "../../memory/images.ts";
import type { Actor } from "../../shared/actor.ts";
import type { MemoirError } from "../../shared/errors.ts";
import type { ConversationPlace } from "../../store/conversations/conversations.ts";
import { findDatabaseFault } from "../../store/engine/database-faults.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { findRunOfToken, saveToken } from "../../store/runs/idempotency.ts";
import { appendEvents } from "../../store/runs/run-log.ts";
import { insertRun, type Run } from "../../store/runs/runs.ts";
import { findSendHead } from "../../store/runs/send-head.ts";
import { acceptAnswers } from "./accept-answers.ts";
import { acceptInput, type Taken } from "./accept-input.ts";
import { composeRun } from "./compose-run.ts";
import { missingPlace, rejectOtherRequest, tokenOf } from "./idempotency.ts";
import type { Accepted, ReadyMessage, SendMessage } from "./send-message.ts";

/**
 * From the first statement to the moment the work begins. `marks` names the conversations, so that nobody takes a run that
 * has just been committed for one that was left behind.
 */
export async function whileAccepting<R>(
  loop: Loop,
  jobs: Jobs,
  { orgId }: Actor,
  accept: (marks: Set<string>) => Promise<R>,
): Promise<R> {
  const marks = new Set<string>();
  loop.accepting.add(marks);
  try {
    return await accept(marks);
  } catch (error) {
    // The commit may have been made although its answer was lost: then there is a run to work on.
    if (findDatabaseFault(error)) for (const conversationId of marks) jobs.wake({ orgId, conversationId });
    throw error;
  } finally {
    loop.accepting.delete(marks);
    // Who gave way to us is not forgotten, whatever became of what we had.
    for (const conversationId of marks) if (loop.gaveWay.has(conversationId)) jobs.wake({ orgId, conversationId });
  }
}

export async function acceptMessage(
  scope: Scope,
  actor: Actor,
  place: ConversationPlace,
  request: Accepted,
  marks: Set<string>,
): Promise<Taken> {
  const head = await findSendHead(scope, place);
  if (!head) throw missingPlace(place);
  marks.add(head.conversationId);
  const token = tokenOf(head.conversationId, request);
  const first = token === undefined ? undefined : await findRunOfToken(scope, token);
  const input: ReadyMessage[] = [];
  for (const message of request.messages) input.push(await storeImages(scope, message));
  if (first) {
    rejectOtherRequest(first, input, request);
    return { run: first, isNew: false };
  }
  const taken = request.approval
    ? await acceptAnswers(scope, actor, head, { ...request, approval: request.approval, messages: input })
    : await acceptInput(scope, actor, head, { ...request, messages: input });
  if (token !== undefined && taken.isNew) await saveToken(scope, token, taken.run.id);
  return taken;
}

/** Leaves a run that has failed, and nothing of what was said. */
export async function rejectMessage(
  scope: Scope,
  actor: Actor,
  place: ConversationPlace,
  input: SendMessage,
  { code, message }: MemoirError,
): Promise<Run> {
  const head = await findSendHead(scope, place);
  if (!head) throw missingPlace(place);
  const draft = composeRun(scope, actor, head, { ...input, messages: [], modelConfig: null }, true);
  const failure = { code, message };
  const run: Run = {
    ...draft,
    status: "failed",
    stopReason: "error",
    endedAt: draft.createdAt,
    durationNs: 0,
    metadata: { ...draft.metadata, error: failure },
  };
  await insertRun(scope, run);
  await appendEvents(scope, run, 0, [{ type: "run-end", reason: "error", failure }]);
  return run;
}

/** After the commit: the work begins, and whoever waits for it hears of it. */
export function beginRun(loop: Loop, jobs: Jobs, { orgId }: Actor, run: Run): void {
  loop.bus.open(orgId, run, loop.telemetry.acceptRun(run.request.input.length));
  if (run.status === "running") loop.accepted.set(run.conversationId, run);
  jobs.wake({ orgId, conversationId: run.conversationId });
}

/** The courier looks into the outbox now and then; this tells it when there is something in it. */
export function atRunEnd({ bus }: Loop, { id }: Run, work: () => void): void {
  const unsubscribe = bus.subscribe(id, (events) => {
    if (events && !events.some(({ type }) => type === "run-end")) return;
    unsubscribe();
    if (events) work();
  });
}
