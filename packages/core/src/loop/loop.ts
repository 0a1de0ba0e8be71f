/** What the loop works with, handed to everything in it. */
import type { Log } from "../log.ts";
import type { Models } from "../model/providers.ts";
import type { Run } from "../store/runs.ts";
import type { Store } from "../store/store.ts";
import type { Executors } from "../tools/tool.ts";
import type { RunBus } from "./bus.ts";
import type { ContextCache } from "./context-cache.ts";

export interface Loop {
  readonly store: Store;
  readonly models: Models;
  readonly executors: Executors;
  readonly bus: RunBus;
  readonly cache: ContextCache;
  readonly log: Log;
  /** Runs this process took in the same commit that accepted them and has not begun, by conversation. */
  readonly accepted: Map<string, Run>;
  /** Runs to be cancelled that have not begun. */
  readonly cancelled: Set<string>;
  /** Runs under way here; aborting one cancels it. */
  readonly active: Map<string, AbortController>;
}
