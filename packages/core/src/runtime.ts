/** What every room above the store is handed. */
import type { Vault } from "./secrets/vault.ts";
import type { Actor } from "./shared/actor.ts";
import type { Log } from "./shared/log.ts";
import type { Scope } from "./store/engine/scope.ts";
import type { Store } from "./store/engine/store.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

export interface Runtime {
  readonly store: Store;
  readonly vault: Vault;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly defaults: Defaults;
}

/** What applies when a request does not say. */
export interface Defaults {
  /** Handle of the model of new agents; without one a request must name it. */
  readonly model: string | undefined;
  /** Handle of the embedding model of new agents and archives; without one they have none. */
  readonly embedding: string | undefined;
  /** Larger windows are used only when asked for. */
  readonly contextWindowCap: number;
}

export function readScope(runtime: Runtime, actor: Actor): Scope {
  return runtime.store.read(actor.orgId);
}

export function write<R>(runtime: Runtime, actor: Actor, work: (scope: Scope) => Promise<R>): Promise<R> {
  return runtime.store.write(actor.orgId, work);
}
