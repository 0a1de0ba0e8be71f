/**
 * What a sandbox is to the rest of the program: it runs one function of somebody's source, once, and says how that went.
 * Where and behind which walls is a driver's business: processes of this machine today, containers or other machines later.
 */
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { SandboxLanguage } from "./language.ts";
import type { Installer } from "./packages/installer.ts";

export type { SandboxLanguage } from "./language.ts";

export interface SandboxJob {
  /** Whose it is: places are shared out fairly between owners. */
  readonly orgId: string;
  readonly language: SandboxLanguage;
  readonly source: string;
  /** The function to call. */
  readonly name: string;
  readonly args: JsonObject;
  /** In which order a function without named arguments takes them; others follow. */
  readonly order?: readonly string[];
  /** Python: classes that the source leaves to the schema of its arguments. */
  readonly argsSchema?: JsonObject;
  /** All that the function finds in its environment, besides a path and a place for scratch files. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder that this sandbox's installer has filled with what the source requires. */
  readonly packages?: string;
  readonly agent?: SandboxAgent;
  /** The only hosts it can reach; none unless given. */
  readonly hosts?: readonly string[];
  /** A way to ask the server, for as long as the call lasts. */
  readonly door?: Door | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface DoorRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface DoorAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What a function may ask of the server that runs it; whoever opens it decides what that is. */
export interface Door {
  /** For clients that want one; it opens nothing anywhere else. */
  readonly key: string;
  /** A client of others that speaks through it, should the function have it. */
  readonly library?: { readonly module: string; readonly name: string };
  handle(request: DoorRequest): Promise<DoorAnswer>;
}

/** Where the door stands, seen from inside. */
export const doorHost = "memoir.internal";
export const doorAddress = `http://${doorHost}`;

/** Handed to functions that declare `agent_id` or `agent_state`. */
export interface SandboxAgent {
  readonly id: string;
  readonly state?: JsonObject;
}

/** A block's new text, as assigned through `agent_state`. */
export interface BlockChange {
  readonly label: string;
  readonly value: string;
}

export interface Printed {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

export type SandboxResult = Printed &
  (
    | { readonly status: "success"; readonly value: JsonValue; readonly changes: readonly BlockChange[] }
    /** `type` and `message` as the language names them; both may be empty. */
    | { readonly status: "error"; readonly type: string; readonly message: string }
  );

export interface Sandbox {
  /** How it is called in settings and messages. */
  readonly kind: string;
  /** Why nothing can run in it, in one sentence; undefined if it can. */
  findFault(): Promise<string | undefined>;
  /** Fills folders with the packages its jobs require; without one, none can be required. */
  readonly installer?: Installer;
  /** Rejects only when the job is aborted or cannot be run at all; whatever the function does is a result. */
  run(job: SandboxJob): Promise<SandboxResult>;
  /** Ends everything under way. */
  close(): Promise<void>;
}
