/**
 * The interface of a sandbox: runs one function of untrusted source once and reports the result. Drivers implement it
 * with local processes, containers or remote machines.
 */
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { SandboxLanguage } from "./language.ts";
import type { Installer } from "./packages/installer.ts";

export type { SandboxLanguage } from "./language.ts";

export interface SandboxJob {
  /** The owner for fair queueing. */
  readonly orgId: string;
  readonly language: SandboxLanguage;
  readonly source: string;
  /** The function to call. */
  readonly name: string;
  readonly args: JsonObject;
  /** Argument order for functions that take positional arguments; others follow. */
  readonly order?: readonly string[];
  /** Python: schema for argument classes that the source does not define. */
  readonly argsSchema?: JsonObject;
  /** The complete environment of the function, besides PATH and a temporary folder. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder that the installer of this sandbox has filled with the required packages. */
  readonly packages?: string;
  readonly agent?: SandboxAgent;
  /** The only hosts the function can reach; defaults to none. */
  readonly hosts?: readonly string[];
  /** Access to the server for the duration of the call. */
  readonly session?: ServerSession | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface SessionRequest {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SessionResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Requests that a function may make to the server; the implementation decides which are allowed. */
export interface ServerSession {
  /** API key for clients that require one; valid within the session only. */
  readonly key: string;
  /** A client library to construct, if the function's environment has it. */
  readonly library?: { readonly module: string; readonly name: string };
  handle(request: SessionRequest): Promise<SessionResponse>;
}

/** Host name of the session inside the sandbox. */
export const sessionHost = "memoir.internal";
export const sessionAddress = `http://${sessionHost}`;

/** Passed to functions that declare `agent_id` or `agent_state`. */
export interface SandboxAgent {
  readonly id: string;
  readonly state?: JsonObject;
}

/** A block's new value, as assigned through `agent_state`. */
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
    /** `type` and `message` in the language's own terms; both may be empty. */
    | { readonly status: "error"; readonly type: string; readonly message: string }
  );

export interface Sandbox {
  /** Name in settings and messages. */
  readonly kind: string;
  /** Returns why the sandbox is unusable, or undefined. */
  findFault(): Promise<string | undefined>;
  /** Installs required packages; without it, tools cannot have requirements. */
  readonly installer?: Installer;
  /** Rejects only if the job is aborted or cannot run at all; failures of the function are results. */
  run(job: SandboxJob): Promise<SandboxResult>;
  /** Aborts all jobs. */
  close(): Promise<void>;
}
