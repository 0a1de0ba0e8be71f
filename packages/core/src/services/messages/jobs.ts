/** What callers can do with jobs. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { isId } from "../../shared/ids.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import { listOpenBatchRuns } from "../../store/runs/batches.ts";
import { deleteJob, getFileJob, getJob, type Job, type JobFilter, listJobs } from "../../store/runs/jobs.ts";
import type { RunService } from "../runs/runs.ts";
import { type BatchService, settleBatches } from "./batches.ts";

export interface JobService {
  /** Also by the id of a file: how far its reading is. */
  get(actor: Actor, id: string): Promise<Job>;
  list(actor: Actor, filter: JobFilter, page: PageRequest): Promise<Job[]>;
  /** One that has ended stays as it is. */
  cancel(actor: Actor, id: string): Promise<Job>;
  /** Gives it as it was. */
  delete(actor: Actor, id: string): Promise<Job>;
}

/** All jobs there are so far are batches. */
export function createJobService(runtime: Runtime, batches: BatchService, runs: RunService): JobService {
  const get = async (actor: Actor, id: string): Promise<Job> => {
    const scope = readScope(runtime, actor);
    if (isId("file", id)) return await getFileJob(scope, id);
    await settleBatches(runtime, actor);
    return await getJob(scope, id);
  };
  return {
    get,
    list: async (actor, filter, page) => {
      await settleBatches(runtime, actor);
      return await listJobs(readScope(runtime, actor), filter, page);
    },
    cancel: async (actor, id) => {
      const job = await get(actor, id);
      if (job.completedAt === null && job.kind === "batch") await batches.cancel(actor, id);
      return await get(actor, id);
    },
    delete: async (actor, id) => {
      const job = await get(actor, id);
      await runs.cancelAll(actor, await listOpenBatchRuns(readScope(runtime, actor), id));
      await write(runtime, actor, (scope) => deleteJob(scope, id));
      return job;
    },
  };
}
