/** The wiring of a Memoir: opens the database, builds each part over the ones before it, and closes them in order. */
import { createEmbeddedJobs } from "./jobs/embedded.ts";
import type { ConversationKey, Jobs } from "./jobs/jobs.ts";
import { startRetention } from "./jobs/retention.ts";
import { TraceWriter } from "./jobs/trace-writer.ts";
import type { WebhookSender } from "./jobs/webhook-sender.ts";
import type { Loop } from "./loop/loop.ts";
import { drainConversation } from "./loop/run.ts";
import { createRunBus } from "./loop/run-bus.ts";
import {
  checkReplyLimit,
  checkTraceDays,
  type MemoirOptions,
  readModelTimeouts,
  rejectMissingKey,
  rejectUnknownDefaults,
  timeoutOf,
} from "./options.ts";
import type { Runtime } from "./runtime.ts";
import type { Environments } from "./sandbox/packages/environments.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { Sandboxes } from "./sandbox/sandboxes.ts";
import { openVault } from "./secrets/open-vault.ts";
import { createServices, type ServiceParts, type Services, type ToolExecutors } from "./service-table.ts";
import { startApprovalExpiry } from "./services/approvals/approval-expiry.ts";
import { createBatchService } from "./services/messages/batches.ts";
import { createCallbacks } from "./services/messages/callbacks.ts";
import { createMessageService, type MessageService } from "./services/messages/messages.ts";
import type { SendSettings } from "./services/messages/prepare-send.ts";
import { createModelServices, type ModelServices } from "./services/models/model-services.ts";
import { createRunService } from "./services/runs/runs.ts";
import { openEnvironments, openSandboxes } from "./services/sandboxes/open-sandboxes.ts";
import { createToolSandboxes } from "./services/sandboxes/tool-sandboxes.ts";
import { createSecretOpener } from "./services/secrets/decrypt-secrets.ts";
import { startResealing } from "./services/secrets/re-encrypt-secrets.ts";
import { createBaseTools } from "./services/tools/base-tools.ts";
import { createComposioExecutors } from "./services/tools/composio-tools.ts";
import { type CustomTools, createCustomTools } from "./services/tools/custom-tools.ts";
import { createCodeExecutors } from "./services/tools/run-code.ts";
import { silentLog } from "./shared/log.ts";
import { resolveDatabase } from "./store/engine/database-address.ts";
import type { MigrationReport } from "./store/engine/migrate.ts";
import { Store } from "./store/engine/store.ts";
import { Readiness } from "./store/readiness.ts";
import { ensureDefaults, listSecretKeyIds, listWaitingConversations } from "./store/system.ts";
import { findTelemetry } from "./telemetry/find-telemetry.ts";
import { createHostExecutors, rejectUnfitHostTools } from "./tools/executors/host.ts";
import { createRestExecutors } from "./tools/executors/rest.ts";
import { createWebExecutors } from "./tools/executors/web.ts";
import { type Executors, joinExecutors } from "./tools/tool.ts";

/** A Memoir that has been started. */
export interface Composition {
  readonly report: MigrationReport;
  readonly store: Store;
  readonly readiness: Readiness;
  readonly services: Services;
  close(): Promise<void>;
}

/** Opens the database, migrates it, and begins to work. */
export async function compose(input: MemoirOptions): Promise<Composition> {
  const options = { ...input, database: resolveDatabase(input.database) };
  checkOptions(options);
  const store = await Store.open(options);
  try {
    const report = await store.migrate();
    return { report, store, ...(await composeOver(store, options)) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Rejects unfit options before anything is opened. */
function checkOptions(options: MemoirOptions): void {
  rejectMissingKey(options);
  rejectUnknownDefaults(options);
  rejectUnfitHostTools(options.tools ?? []);
  checkReplyLimit(options);
  checkTraceDays(options);
  readModelTimeouts(options);
}

async function composeOver(store: Store, options: MemoirOptions): Promise<Omit<Composition, "report" | "store">> {
  await ensureDefaults(store);
  const keyIds = await listSecretKeyIds(store);
  const runtime = createRuntime(store, options, keyIds);
  const baseTools = createBaseTools(runtime, options.tools ?? []);
  await baseTools.seed();
  const modelServices = createModelServices(runtime, { ...options, timeouts: readModelTimeouts(options) });
  const { sandboxes, environments, ...tooling } = createTooling(runtime, options);
  const loop = createLoop(runtime, modelServices, tooling.executors.all, options);
  const jobs = createEmbeddedJobs(runtime.log);
  const { webhookSender, ...sending } = createSending(runtime, loop, jobs, options);
  const access = { allowedHosts: allowedHostsOf(options), mcp: mcpAccessOf(options) };
  const services = createServices({ runtime, loop, jobs, modelServices, baseTools, ...tooling, ...sending, ...access });
  const readiness = new Readiness(store);
  const waiting = await listWaitingConversations(store);
  const background = startBackground(runtime, loop, jobs, options, keyIds);
  const drain = (key: ConversationKey, signal: AbortSignal) => drainConversation(loop, key, signal);
  jobs.start({ drainConversation: drain }, waiting);
  webhookSender.start();
  const { audit } = services;
  const { bus, traces } = loop;
  const parts = { webhookSender, jobs, sandboxes, environments, ...background, traces, bus, audit, readiness, store };
  return { readiness, services, close: () => closeParts(parts) };
}

function createRuntime(store: Store, options: MemoirOptions, keyIds: readonly string[]): Runtime {
  return {
    store,
    vault: openVault(options, keyIds),
    log: options.log ?? silentLog,
    telemetry: findTelemetry(),
    defaults: {
      model: options.defaultModel,
      embedding: options.defaultEmbedding,
      contextWindowCap: options.contextWindowCap ?? 128_000,
    },
  };
}

function allowedHostsOf({ privateHosts = [] }: MemoirOptions): readonly string[] {
  return privateHosts.map((host) => host.toLowerCase());
}

function mcpAccessOf(options: MemoirOptions): ServiceParts["mcp"] {
  return { allowsPrograms: options.mcpPrograms ?? false, allowedHosts: allowedHostsOf(options) };
}

interface Tooling extends Pick<ServiceParts, "customTools" | "toolSandboxes" | "executors"> {
  readonly sandboxes: Sandboxes;
  readonly environments: Environments;
}

function createTooling(runtime: Runtime, options: MemoirOptions): Tooling {
  const sandboxes = openSandboxes(options);
  const environments = openEnvironments(options, runtime.log);
  const toolSandboxes = createToolSandboxes(runtime, sandboxes, environments);
  const customTools = createCustomTools(runtime, toolSandboxes, options.customTools ?? {});
  const executors = createExecutors(runtime, options, customTools, sandboxes.get(sandboxes.defaultSandbox));
  return { sandboxes, environments, toolSandboxes, customTools, executors };
}

function createExecutors(
  runtime: Runtime,
  options: MemoirOptions,
  customTools: CustomTools,
  sandbox: Sandbox,
): ToolExecutors {
  const allowedHosts = allowedHostsOf(options);
  const readSecrets = createSecretOpener(runtime);
  const { web = {}, composio = {}, customTools: environment = {}, tools = [] } = options;
  const outside = joinExecutors(
    createWebExecutors({ web, allowedHosts, readSecrets }),
    createRestExecutors({ allowedHosts, readSecrets }),
    createComposioExecutors({ runtime, access: composio, environment }),
    // Code of an agent may call every tool, hence the function: `all` contains these executors.
    createCodeExecutors({ runtime, sandbox, options: environment, executors: () => all }),
  );
  const all: Executors = joinExecutors(createHostExecutors(tools), customTools.executors, outside);
  return { outside, all };
}

function createLoop(
  { store, log, telemetry }: Runtime,
  { engine, directory }: ModelServices,
  executors: Executors,
  options: MemoirOptions,
): Loop {
  return {
    store,
    log,
    traces: new TraceWriter(store, log, { keepsTraces: checkTraceDays(options) > 0 }),
    telemetry,
    warned: new Set(),
    models: engine,
    finder: directory,
    fallbacks: options.fallbackModels ?? [],
    executors,
    timeout: timeoutOf(options),
    ...(options.onStep ? { onStep: options.onStep } : {}),
    bus: createRunBus(),
    cache: new Map(),
    accepted: new Map(),
    accepting: new Set(),
    gaveWay: new Set(),
    cancelled: new Set(),
    held: new Map(),
    active: new Map(),
  };
}

interface Sending extends Pick<ServiceParts, "runs" | "messages" | "batches"> {
  readonly webhookSender: WebhookSender;
}

function createSending(runtime: Runtime, loop: Loop, jobs: Jobs, options: MemoirOptions): Sending {
  const allowedHosts = allowedHostsOf(options);
  const { composeCallback } = options;
  // A callback reads messages of its run, hence the function: `messages` needs the sender.
  const webhookSender: WebhookSender = createCallbacks(runtime, { composeCallback, allowedHosts }, () => messages);
  const sending: SendSettings = { allowedHosts, images: { allowedHosts: options.web?.pageHosts ?? [] } };
  const messages: MessageService = createMessageService(runtime, loop, jobs, { webhookSender, ...sending });
  const runs = createRunService(runtime, loop, jobs);
  const batches = createBatchService(runtime, { loop, jobs, runs, webhookSender, sending });
  return { webhookSender, runs, messages, batches };
}

interface Background {
  readonly retention: Stoppable;
  readonly resealing: Stoppable;
  readonly approvalExpiry: Stoppable;
}

function startBackground(
  { store, vault, log }: Runtime,
  loop: Loop,
  jobs: Jobs,
  options: MemoirOptions,
  keyIds: readonly string[],
): Background {
  return {
    resealing: startResealing(store, vault, log, keyIds),
    retention: startRetention(store, log, checkTraceDays(options)),
    approvalExpiry: startApprovalExpiry(loop, jobs),
  };
}

interface Stoppable {
  stop(): Promise<void>;
}

interface Closable {
  close(): Promise<void>;
}

export interface ClosableParts extends Background {
  readonly webhookSender: Stoppable;
  readonly jobs: Stoppable;
  readonly sandboxes: Closable;
  readonly environments: Closable;
  readonly traces: Closable;
  readonly bus: { close(): void };
  readonly audit: Closable;
  readonly readiness: Closable;
  readonly store: Closable;
}

/** Work stops before the parts that it writes to; the store is last. */
export async function closeParts(parts: ClosableParts): Promise<void> {
  await parts.webhookSender.stop();
  await parts.jobs.stop();
  await parts.sandboxes.close();
  await parts.environments.close();
  await parts.retention.stop();
  await parts.resealing.stop();
  await parts.approvalExpiry.stop();
  await parts.traces.close();
  parts.bus.close();
  await parts.audit.close();
  await parts.readiness.close();
  await parts.store.close();
}
