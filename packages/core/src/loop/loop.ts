/** What the loop works with, handed to everything in it. */
import type { TraceWriter } from "../jobs/trace-writer.ts";
import type { ProviderAccess } from "../model/model.ts";
import type { Models } from "../model/providers.ts";
import type { Log } from "../shared/log.ts";
import type { ModelConfig } from "../shared/model-config.ts";
import type { StepListener } from "../shared/step-end.ts";
import type { Store } from "../store/engine/store.ts";
import type { Run } from "../store/runs/runs.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Executors } from "../tools/tool.ts";
import type { ContextCache } from "./context/context-cache.ts";
import type { RunBus } from "./run-bus.ts";

/** Models by what users call them, and the keys of those that users brought. */
export interface ModelFinder {
  /** Throws when nobody has it. */
  resolve(orgId: string, handle: string): Promise<ModelConfig>;
  /** Undefined for models of providers that the program was started with. */
  findAccess(orgId: string, config: ModelConfig): Promise<ProviderAccess | undefined>;
}

/** How long a conversation waits for an answer before it goes on without one. */
export interface ApprovalTimeout {
  /** For someone's permission. */
  readonly approvalMs: number;
  /** For the result of a tool that a client runs. */
  readonly clientToolMs: number;
}

export interface Loop {
  readonly store: Store;
  readonly models: Models;
  readonly finder: ModelFinder;
  /** Handles of models to ask, in this order, when the one that was meant does not answer. */
  readonly fallbacks: readonly string[];
  readonly executors: Executors;
  readonly timeout: ApprovalTimeout;
  readonly bus: RunBus;
  readonly cache: ContextCache;
  readonly log: Log;
  readonly traces: TraceWriter;
  readonly telemetry: Telemetry;
  /** Agents, with their tools that cannot run, of which the log has been told. */
  readonly warned: Set<string>;
  /** Told of every step that has ended. */
  readonly onStep?: StepListener;
  /** Runs this process took in the same commit that accepted them and has not begun, by conversation. */
  readonly accepted: Map<string, Run>;
  /** Conversations for which something is being accepted: what is found there may have been taken already. */
  readonly accepting: Set<ReadonlySet<string>>;
  /** Conversations left to whoever was accepting something: they look for more than their own run. */
  readonly gaveWay: Set<string>;
  /** Runs to be cancelled that have not begun. */
  readonly cancelled: Set<string>;
  /** Runs that this process owns and left because of a fault of the database: their epochs, by id. */
  readonly held: Map<string, number>;
  /** Runs under way here; aborting one cancels it. */
  readonly active: Map<string, AbortController>;
}
