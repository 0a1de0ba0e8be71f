/** What models saw and said: the bytes that were kept, and those that can be made again. */
import type { Loop } from "../../loop/loop.ts";
import { summaryOrigin } from "../../loop/model-call/summary-steps.ts";
import type { Models } from "../../model/providers.ts";
import { type Runtime, readScope } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { ModelConfig } from "../../shared/model-config.ts";
import { loadTags } from "../../store/agents/tags.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { getRun } from "../../store/runs/runs.ts";
import { getStep, listRunSteps, type Step } from "../../store/runs/steps.ts";
import { listStepTraces, type StoredTrace } from "../../store/runs/traces.ts";
import { diffRequests, type StepDiff } from "./step-diff.ts";
import { decompress, findSettings, type RebuiltRequest, type Renderer, rebuildRequest } from "./step-request.ts";

/** With the bytes as they were sent and read, but for secrets. */
export type Trace = StoredTrace;

export interface StepTrace extends Trace {
  readonly config: ModelConfig | null;
  readonly agentTags: readonly string[];
}

export interface TraceService {
  /** The call that gave the step its reply, or else the last try. Null when traces are off or too old to be kept. */
  getOfStep(actor: Actor, stepId: string): Promise<StepTrace | null>;
  /** Every try, and the calls that made room for the step, oldest first. */
  listOfStep(actor: Actor, stepId: string): Promise<Trace[]>;
  listOfRun(actor: Actor, runId: string, limit?: number): Promise<Trace[]>;
  /** What the model saw, made again from what is stored, however old. */
  rebuild(actor: Actor, stepId: string): Promise<RebuiltRequest>;
  diff(actor: Actor, fromStepId: string, toStepId: string): Promise<StepDiff>;
}

export function createTraceService(runtime: Runtime, loop: Loop, wired: Models): TraceService {
  const renderer: Renderer = { wired, finder: loop.finder };
  /** What this process has not written yet is to be seen as well. */
  const open = async (actor: Actor): Promise<Scope> => {
    await loop.traces.flush();
    return readScope(runtime, actor);
  };
  const rebuild = async (scope: Scope, stepId: string) =>
    await rebuildRequest(scope, renderer, await getStep(scope, stepId));
  return {
    getOfStep: async (actor, stepId) => {
      const scope = await open(actor);
      const step = await getStep(scope, stepId);
      const traces = await listStepTraces(scope, [stepId]);
      const purpose = step.origin === summaryOrigin ? "summary" : "step";
      const own = traces.findLast(({ detail }) => detail.purpose === purpose);
      return own ? await complete(scope, step, await unpack(own)) : null;
    },
    listOfStep: async (actor, stepId) => {
      const scope = await open(actor);
      await getStep(scope, stepId);
      return await unpackAll(await listStepTraces(scope, [stepId]));
    },
    listOfRun: async (actor, runId, limit = 1_000) => {
      const scope = await open(actor);
      const { request } = await getRun(scope, runId);
      const steps = (await listRunSteps(scope, runId)).map(({ id }) => id);
      return await unpackAll(await listStepTraces(scope, [...new Set([request.firstStepId, ...steps])], limit));
    },
    rebuild: async (actor, stepId) => await rebuild(await open(actor), stepId),
    diff: async (actor, fromStepId, toStepId) => {
      const scope = await open(actor);
      return diffRequests(await rebuild(scope, fromStepId), await rebuild(scope, toStepId));
    },
  };
}

async function complete(scope: Scope, step: Step, trace: Trace): Promise<StepTrace> {
  const { agentId } = step;
  const tags = agentId === null ? undefined : (await loadTags(scope, "agent", [agentId])).get(agentId);
  return { ...trace, config: (await findSettings(scope, step))?.config ?? null, agentTags: tags ?? [] };
}

async function unpackAll(traces: readonly StoredTrace[]): Promise<Trace[]> {
  const unpacked: Trace[] = [];
  for (const trace of traces) unpacked.push(await unpack(trace));
  return unpacked;
}

async function unpack({ request, response, ...trace }: StoredTrace): Promise<Trace> {
  return {
    ...trace,
    request: await decompress(request),
    response: response && (await decompress(response)),
  };
}
