/** What an embedder says when it makes a Memoir, and what of it is refused before anything is opened. */
import type { ApprovalTimeout } from "./loop/loop.ts";
import { checkHandle, findEmbedding, getModel } from "./model/catalogue.ts";
import { defaultMaxReplyBytes } from "./model/limit-reply.ts";
import type { ProviderAccess } from "./model/model.ts";
import type { Models } from "./model/providers.ts";
import { defaultTimeouts, type ModelTimeouts } from "./model/timeout.ts";
import { defaultImages } from "./sandbox/containers/container-engine.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { defaultSandbox } from "./sandbox/sandboxes.ts";
import type { ComposeCallback } from "./services/messages/callbacks.ts";
import type { SandboxSettings } from "./services/sandboxes/open-sandboxes.ts";
import { type CustomToolOptions, defaultTimeoutMs } from "./services/tools/custom-tools.ts";
import { MemoirError } from "./shared/errors.ts";
import type { Log } from "./shared/log.ts";
import type { StepListener } from "./shared/step-end.ts";
import { isPostgresUrl } from "./store/engine/database-address.ts";
import { type Durability, defaultDurability } from "./store/engine/dialects/node-sqlite.ts";
import type { ComposioAccess } from "./tools/composio/run-action.ts";
import type { HostTool } from "./tools/executors/host.ts";
import type { WebAccess } from "./tools/web/access.ts";

export interface MemoirOptions {
  /** A file path, `:memory:`, or a `postgres://` address. */
  readonly database: string;
  /** Seals secrets. Required with PostgreSQL; a file beside the database is made for SQLite. */
  readonly encryptionKey?: string;
  /** Keys that secrets may still be sealed with; they are sealed anew with the current one. */
  readonly formerKeys?: readonly string[];
  /** SQLite only: `full` (default) survives a power cut, `normal` a crash of the program. */
  readonly durability?: Durability;
  /** Most connections to PostgreSQL at once. */
  readonly poolSize?: number;
  /** Handles used when a request names no model. */
  readonly defaultModel?: string;
  /** Handles of models that are asked, in this order, when the one of an agent is busy, down or out of reach. */
  readonly fallbackModels?: readonly string[];
  readonly defaultEmbedding?: string;
  readonly contextWindowCap?: number;
  /** Keys and addresses of model providers, by provider name. */
  readonly providers?: Readonly<Record<string, ProviderAccess>>;
  /** Look for Ollama and LM Studio on this machine when models are listed or named (off). */
  readonly discoverLocal?: boolean;
  /** How providers are reached, in place of the global one. */
  readonly fetch?: typeof fetch;
  /** Refuse model addresses inside the own network that callers give. Without, they are refused once there are API keys. */
  readonly checksModelAddresses?: boolean;
  /** Hosts inside the own network that models at addresses of callers may be at all the same. */
  readonly privateModelHosts?: readonly string[];
  /** Models of one's own in place of the providers', for tests and special needs. */
  readonly models?: Models;
  /** Whether MCP servers may be programs that are started on this machine (off). */
  readonly mcpPrograms?: boolean;
  /** Functions of one's own that agents may call, attached by their names. */
  readonly tools?: readonly HostTool[];
  /** So many days the bytes sent to providers and got from them are kept; 0 for not at all (7). */
  readonly traceDays?: number;
  /** A longer reply of a model, reasoning and arguments included, is not read to its end, and fails its run (16 MB). */
  readonly maxReplyBytes?: number;
  /** So many seconds a call waits for someone's approval before it counts as denied (a day). */
  readonly approvalSeconds?: number;
  /** So many seconds a call waits for the client that runs it (an hour). */
  readonly clientToolSeconds?: number;
  /** Seconds a model may be silent, before the first piece of its reply and between two pieces; 10 or more (600). */
  readonly modelRequestSeconds?: number;
  /** Seconds a whole reply of a model may take; 10 or more (1800). */
  readonly modelStreamSeconds?: number;
  /** Hosts inside the own network that callbacks, MCP servers and REST tools may be at; all others there are refused. */
  readonly privateHosts?: readonly string[];
  /** Keys and addresses for `web_search` and `fetch_webpage`. */
  readonly web?: WebAccess;
  /** The key of Composio, for tools that are its actions; those of agents come before it. */
  readonly composio?: ComposioAccess;
  /** How the end of a run or batch is put to those who asked to be told of it. */
  readonly composeCallback?: ComposeCallback;
  /** Told of every step that has ended, after its commit; one that waits for an answer has not. */
  readonly onStep?: StepListener;
  /** In place of the local sandbox, which is processes of this machine behind walls. */
  readonly sandbox?: Sandbox;
  /** Other sandboxes, which of them is the usual one, and how what tools require is installed. */
  readonly sandboxes?: SandboxSettings;
  /** Run tools with a source also where the machine cannot wall them off (off). */
  readonly unsafeTools?: boolean;
  /** How long a call of a tool with a source may take, and what it is told of itself and its agent. */
  readonly customTools?: CustomToolOptions;
  readonly log?: Log;
}

/** Defaults of options, for programs that show them to their users. */
export const defaultOptions = {
  durability: defaultDurability,
  traceDays: 7,
  maxReplyBytes: defaultMaxReplyBytes,
  approvalSeconds: 86_400,
  clientToolSeconds: 3_600,
  modelRequestSeconds: defaultTimeouts.requestMs / 1_000,
  modelStreamSeconds: defaultTimeouts.streamMs / 1_000,
  sandboxes: { defaultSandbox, containers: { images: defaultImages } },
  customTools: { timeoutMs: defaultTimeoutMs },
} as const satisfies Partial<MemoirOptions>;

export function timeoutOf({
  approvalSeconds = defaultOptions.approvalSeconds,
  clientToolSeconds = defaultOptions.clientToolSeconds,
}: MemoirOptions): ApprovalTimeout {
  for (const [name, seconds] of Object.entries({ approvalSeconds, clientToolSeconds })) {
    if (Number.isFinite(seconds) && seconds > 0) continue;
    throw new MemoirError("invalid-argument", `${name} is ${seconds}: give a number of seconds above 0`);
  }
  return { approvalMs: approvalSeconds * 1_000, clientToolMs: clientToolSeconds * 1_000 };
}

export function checkReplyLimit({ maxReplyBytes }: MemoirOptions): void {
  if (maxReplyBytes === undefined || (Number.isSafeInteger(maxReplyBytes) && maxReplyBytes > 0)) return;
  throw new MemoirError("invalid-argument", `maxReplyBytes is ${maxReplyBytes}: give a whole number of bytes above 0`);
}

const minModelSeconds = 10;

export function readModelTimeouts({
  modelRequestSeconds = defaultOptions.modelRequestSeconds,
  modelStreamSeconds = defaultOptions.modelStreamSeconds,
}: MemoirOptions): ModelTimeouts {
  for (const [name, seconds] of Object.entries({ modelRequestSeconds, modelStreamSeconds })) {
    if (Number.isFinite(seconds) && seconds >= minModelSeconds) continue;
    throw new MemoirError("invalid-argument", `${name} is ${seconds}: give ${minModelSeconds} seconds or more`, {
      details: { field: name },
    });
  }
  return { requestMs: modelRequestSeconds * 1_000, streamMs: modelStreamSeconds * 1_000 };
}

export function checkTraceDays({ traceDays = defaultOptions.traceDays }: MemoirOptions): number {
  if (Number.isFinite(traceDays) && traceDays >= 0) return traceDays;
  throw new MemoirError("invalid-argument", `traceDays is ${traceDays}: give a number of days, or 0 for no traces`);
}

/** Providers are not asked at the start; what can be known without is. */
export function rejectUnknownDefaults(options: MemoirOptions): void {
  const { defaultModel, defaultEmbedding, fallbackModels = [] } = options;
  if (defaultModel !== undefined) checkHandle(defaultModel, "the default model");
  for (const handle of fallbackModels) checkHandle(handle, "the fallback model");
  if (defaultModel?.startsWith("memoir/")) getModel(defaultModel);
  if (defaultEmbedding === undefined) return;
  checkHandle(defaultEmbedding, "the default embedding model");
  if (defaultEmbedding.startsWith("memoir/") && !findEmbedding(defaultEmbedding)) {
    throw new MemoirError("invalid-argument", `the default embedding model ${defaultEmbedding} is not known`);
  }
}

export function rejectMissingKey({ database, encryptionKey }: MemoirOptions): void {
  if (encryptionKey || !isPostgresUrl(database)) return;
  throw new MemoirError(
    "invalid-argument",
    "PostgreSQL needs an encryption key for secrets: set MEMOIR_ENCRYPTION_KEY to a long random text, the same on every server.",
  );
}
