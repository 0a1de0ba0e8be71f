/** What callers can do with runs. */
import type { Actor } from "../actor.ts";
import type { Loop } from "../loop/loop.ts";
import { type Runtime, readScope, write } from "../runtime.ts";
import { getRun, markCancelled, type Run } from "../store/runs.ts";

export interface RunService {
  get(actor: Actor, id: string): Promise<Run>;
  /** Reaches the model call and the tool that are under way; one that has ended stays as it is. */
  cancel(actor: Actor, id: string): Promise<void>;
}

export function createRunService(runtime: Runtime, loop: Loop): RunService {
  return {
    get: (actor, id) => getRun(readScope(runtime, actor), id),
    cancel: async (actor, id) => {
      const isOpen = await write(runtime, actor, async (scope) => {
        const run = await getRun(scope, id);
        if (run.endedAt === null) await markCancelled(scope, id);
        return run.endedAt === null;
      });
      const active = loop.active.get(id);
      if (active) active.abort();
      else if (isOpen) loop.cancelled.add(id);
    },
  };
}
