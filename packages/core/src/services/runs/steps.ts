/** What callers can do with steps. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import {
  getListedStep,
  type ListedStep,
  listSteps,
  type StepFilter,
  type StepOpinion,
  setStepOpinion,
  setStepTransaction,
} from "../../store/runs/step-list.ts";

export interface StepListRequest {
  readonly filter?: StepFilter;
  readonly page: PageRequest;
}

export interface StepService {
  get(actor: Actor, id: string): Promise<ListedStep>;
  list(actor: Actor, request: StepListRequest): Promise<ListedStep[]>;
  /** What a person thinks of the step. */
  rate(actor: Actor, id: string, opinion: StepOpinion): Promise<ListedStep>;
  /** Under which name an outside program knows the step. */
  setTransaction(actor: Actor, id: string, tid: string): Promise<ListedStep>;
}

export function createStepService(runtime: Runtime): StepService {
  return {
    get: (actor, id) => getListedStep(readScope(runtime, actor), id),
    list: (actor, { filter = {}, page }) => listSteps(readScope(runtime, actor), filter, page),
    rate: (actor, id, opinion) =>
      write(runtime, actor, async (scope) => {
        await setStepOpinion(scope, id, opinion);
        return await getListedStep(scope, id);
      }),
    setTransaction: (actor, id, tid) =>
      write(runtime, actor, async (scope) => {
        await setStepTransaction(scope, id, tid);
        return await getListedStep(scope, id);
      }),
  };
}
