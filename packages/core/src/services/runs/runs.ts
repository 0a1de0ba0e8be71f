/** What callers can do with runs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Jobs } from "../../jobs/jobs.ts";
import { followRun } from "../../loop/follow.ts";
import type { Loop } from "../../loop/loop.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { isMemoirError, MemoirError, notFound } from "../../shared/errors.ts";
import { getAgent } from "../../store/agents/agents.ts";
import { type ConversationPlace, getPlace } from "../../store/conversations/conversations.ts";
import { findByIds } from "../../store/engine/entity.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { findOpenApproval, listOpenApprovals } from "../../store/runs/approvals.ts";
import { findRunByOtid, listRuns, type RunFilter, type RunOrder } from "../../store/runs/run-list.ts";
import {
  deleteRun,
  findDefaultConversations,
  listCalledTools,
  type RunUsage,
  sumRunUsage,
} from "../../store/runs/run-usage.ts";
import { claimRun, findRun, getRun, listOpenRuns, markCancelled, type Run, runEntity } from "../../store/runs/runs.ts";
import { type ListedStep, listSteps } from "../../store/runs/step-list.ts";
import { findToolsByName, toolEntity } from "../../store/tools/tools.ts";
import { abandonApproval } from "./abandon-approval.ts";
import { endRun, tellEnd } from "./end-run.ts";

export interface RunView {
  readonly run: Run;
  /** In its agent's default conversation. */
  readonly isDefault: boolean;
}

export interface RunListRequest {
  readonly filter?: RunFilter;
  readonly page: PageRequest;
  readonly orderBy?: RunOrder;
}

export interface RunMetrics {
  readonly run: Run;
  readonly steps: number;
  /** Of the tools that were called and still exist. */
  readonly toolIds: readonly string[];
}

export interface RunService {
  get(actor: Actor, id: string): Promise<Run>;
  view(actor: Actor, id: string): Promise<RunView>;
  list(actor: Actor, request: RunListRequest): Promise<RunView[]>;
  /** Over all its steps. */
  usage(actor: Actor, id: string): Promise<RunUsage>;
  metrics(actor: Actor, id: string): Promise<RunMetrics>;
  steps(actor: Actor, id: string, page: PageRequest): Promise<ListedStep[]>;
  /** The newest of a conversation that has not ended, or the one that the message with this otid began. */
  findOf(actor: Actor, place: ConversationPlace, otid?: string): Promise<Run | undefined>;
  /**
   * Reaches the model call and the tool that are under way; what waits its turn is taken back, unheard. One that has ended
   * stays as it is.
   */
  cancel(actor: Actor, id: string): Promise<void>;
  /** All of them as one: none begins because another has ended. */
  cancelAll(actor: Actor, ids: readonly string[]): Promise<void>;
  /** Those named, or without names all of the agent that are under way or wait, in whatever conversation; their ids. */
  cancelOfAgent(actor: Actor, agentId: string, ids?: readonly string[]): Promise<string[]>;
  /** With its steps and messages; one that is under way is cancelled first. */
  delete(actor: Actor, id: string): Promise<void>;
}

export function createRunService(runtime: Runtime, loop: Loop, jobs: Jobs): RunService {
  const stop = async (actor: Actor, id: string): Promise<void> => {
    const { isOpen, ended } = await write(runtime, actor, async (scope) => {
      const run = await getRun(scope, id);
      if (run.endedAt !== null) return { isOpen: false };
      // What waits its turn may wait long, and nobody has heard it yet.
      if (run.status === "created") return { isOpen: false, ended: await endRun(scope, run) };
      await markCancelled(scope, id);
      return { isOpen: true };
    });
    if (ended) return tellEnd(loop, ended);
    const active = loop.active.get(id);
    if (active) active.abort();
    else if (isOpen) loop.cancelled.add(id);
  };
  /** It may have asked in the very moment it was told to stop: nobody is going to answer that. */
  const waitUntilStopped = async (actor: Actor, id: string): Promise<void> => {
    const scope = readScope(runtime, actor);
    await waitForEnd(loop, scope, id);
    const run = await findRun(scope, id);
    // Whoever would have taken it up is not told any more.
    if (run?.endedAt !== null) loop.cancelled.delete(id);
    if (run?.stopReason !== "requires_approval") return;
    const asked = await findOpenApproval(scope, run.conversationId);
    if (asked?.runId !== id) return;
    await abandonApproval({ loop, jobs }, actor.orgId, asked, { text: cancelledReason, isCancel: true });
  };
  const cancel = async (actor: Actor, id: string): Promise<void> => {
    await stop(actor, id);
    await waitUntilStopped(actor, id);
  };
  const cancelRuns = async (actor: Actor, runs: readonly Run[]): Promise<void> => {
    // What waits first, lest it begin when those before it have ended.
    const rank = ({ status }: Run) => (status === "created" ? 0 : 1);
    for (const { id } of runs.toSorted((one, other) => rank(one) - rank(other))) await stop(actor, id);
    for (const { id } of runs) await waitUntilStopped(actor, id);
  };
  return {
    get: (actor, id) => getRun(readScope(runtime, actor), id),
    view: async (actor, id) => {
      const scope = readScope(runtime, actor);
      const [view] = await viewAll(scope, [await getRun(scope, id)]);
      if (!view) throw notFound("run", id);
      return view;
    },
    list: async (actor, { filter = {}, page, orderBy }) => {
      const scope = readScope(runtime, actor);
      return await viewAll(scope, await listRuns(scope, await nameTools(scope, filter), page, orderBy));
    },
    usage: async (actor, id) => {
      const scope = readScope(runtime, actor);
      await getRun(scope, id);
      return await sumRunUsage(scope, id);
    },
    metrics: async (actor, id) => {
      const scope = readScope(runtime, actor);
      const run = await getRun(scope, id);
      const { steps } = await sumRunUsage(scope, id);
      const tools = await findToolsByName(scope, await listCalledTools(scope, id));
      return { run, steps, toolIds: tools.map((tool) => tool.id) };
    },
    steps: async (actor, id, page) => {
      const scope = readScope(runtime, actor);
      await getRun(scope, id);
      return await listSteps(scope, { runId: id }, page);
    },
    findOf: async (actor, place, otid) => {
      const scope = readScope(runtime, actor);
      const { id } = await getPlace(scope, place);
      if (otid === undefined) return (await listOpenRuns(scope, id)).at(-1);
      for (const pause of arrivalPausesMs) {
        await sleep(pause);
        const run = await findRunByOtid(scope, id, otid);
        if (run) return run;
      }
      return undefined;
    },
    cancel,
    cancelAll: async (actor, ids) => cancelRuns(actor, await findByIds(readScope(runtime, actor), runEntity, ids)),
    cancelOfAgent: async (actor, agentId, ids) => {
      const scope = readScope(runtime, actor);
      await getAgent(scope, agentId);
      const runs = ids ? await getOwn(scope, agentId, ids) : await listOpen(scope, agentId);
      await cancelRuns(actor, runs);
      return runs.map(({ id }) => id);
    },
    delete: async (actor, id) => {
      await cancel(actor, id);
      const run = await write(runtime, actor, async (scope) => {
        const found = await getRun(scope, id);
        // Whoever is still at work on it finds that it is no longer theirs and stops.
        if (found.endedAt === null) await claimRun(scope, found);
        await deleteRun(scope, found);
        return found;
      });
      loop.bus.drop(id);
      loop.cancelled.delete(id);
      if (loop.accepted.get(run.conversationId)?.id === id) loop.accepted.delete(run.conversationId);
      // Forks may have its messages too.
      loop.cache.clear();
    },
  };
}

/** Tools may be named by their ids, too. */
async function nameTools(scope: Scope, filter: RunFilter): Promise<RunFilter> {
  const { toolNames } = filter;
  if (!toolNames) return filter;
  const known = await findByIds(scope, toolEntity, toolNames);
  return { ...filter, toolNames: [...toolNames, ...known.map(({ name }) => name)] };
}

async function viewAll(scope: Scope, runs: readonly Run[]): Promise<RunView[]> {
  const conversationIds = runs.map(({ conversationId }) => conversationId);
  const defaults = await findDefaultConversations(scope, conversationIds);
  return runs.map((run) => ({ run, isDefault: defaults.has(run.conversationId) }));
}

async function getOwn(scope: Scope, agentId: string, ids: readonly string[]): Promise<Run[]> {
  const runs: Run[] = [];
  for (const id of new Set(ids)) {
    const run = await getRun(scope, id);
    if (run.agentId !== agentId) throw notFound("run", id);
    runs.push(run);
  }
  return runs;
}

/** A message that was just sent may be on its way. */
const arrivalPausesMs = [0, 250, 500, 1_000];

const maxAtOnce = 1_000;

async function listOpen(scope: Scope, agentId: string): Promise<Run[]> {
  const page = { limit: maxAtOnce, order: "asc" } as const;
  const open = await listRuns(scope, { agentIds: [agentId], isOpen: true }, page);
  const asking = (await listOpenApprovals(scope, { agentId }, page)).map(({ runId }) => runId);
  const runs = [...open, ...(await findByIds(scope, runEntity, asking))];
  if (runs.length > 0) return runs;
  throw new MemoirError("conflict", "no run of this agent is under way or waits: there is nothing to cancel");
}

/** The run has ended with a question: giving that up is what cancelling it means. */
const cancelledReason = "the user cancelled the run";

/** What was told to stop does so soon; those that wait for their turn are not waited for. */
const timeoutMs = 2_000;

async function waitForEnd(loop: Loop, scope: Scope, id: string): Promise<void> {
  if (!loop.active.has(id)) return;
  try {
    for await (const event of followRun(loop.bus, scope, id, 0, AbortSignal.timeout(timeoutMs))) {
      if (event.type === "run-end") return;
    }
  } catch (error) {
    if (!isMemoirError(error)) throw error;
  }
}
