/** Memoir as a library: one object that owns a database and offers the services over it. */
import { createEmbeddedJobs } from "./jobs/embedded.ts";
import type { ConversationKey, Jobs } from "./jobs/jobs.ts";
import { type Retention, startRetention } from "./jobs/retention.ts";
import { TraceWriter } from "./jobs/trace-writer.ts";
import type { WebhookSender } from "./jobs/webhook-sender.ts";
import type { Loop } from "./loop/loop.ts";
import { drainConversation } from "./loop/run.ts";
import { createRunBus, type RunBus } from "./loop/run-bus.ts";
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
import type { Sandboxes } from "./sandbox/sandboxes.ts";
import { openVault } from "./secrets/open-vault.ts";
import { type AuditService, createAuditService } from "./services/access/audit.ts";
import { createKeyService, type KeyService } from "./services/access/keys.ts";
import { createTenantService, type TenantService } from "./services/access/tenants.ts";
import { type AgentFileService, createAgentFileService } from "./services/agent-files/agent-files.ts";
import { createRepairService, type RepairService } from "./services/agents/agent-repair.ts";
import { type AgentToolService, createAgentToolService } from "./services/agents/agent-tools.ts";
import { type AgentService, createAgentService } from "./services/agents/agents.ts";
import { createDeploymentService, type DeploymentService } from "./services/agents/deployments.ts";
import { createGroupService, type GroupService } from "./services/agents/groups.ts";
import { createIdentityService, type IdentityService } from "./services/agents/identities.ts";
import { createTagService, type TagService } from "./services/agents/tags.ts";
import { type ApprovalExpiry, startApprovalExpiry } from "./services/approvals/approval-expiry.ts";
import { type ApprovalService, createApprovalService } from "./services/approvals/approvals.ts";
import { type ArchiveService, createArchiveService } from "./services/archives/archives.ts";
import { createPassageService, type PassageService } from "./services/archives/passages.ts";
import { createHistoryService, type HistoryService } from "./services/blocks/block-history.ts";
import { type BlockService, createBlockService } from "./services/blocks/blocks.ts";
import { type ContextService, createContextService } from "./services/conversations/context-overview.ts";
import { type ConversationService, createConversationService } from "./services/conversations/conversations.ts";
import { createFolderService, type FolderService } from "./services/files/folders.ts";
import { createOpenFileService, type OpenFileService } from "./services/files/open-files.ts";
import { createMcpServerService, type McpServerService } from "./services/mcp/mcp-servers.ts";
import { type BatchService, createBatchService } from "./services/messages/batches.ts";
import { createCallbacks } from "./services/messages/callbacks.ts";
import { createJobService, type JobService } from "./services/messages/jobs.ts";
import { createMessageService, type MessageService } from "./services/messages/messages.ts";
import type { SendSettings } from "./services/messages/prepare-send.ts";
import { createModelServices, type ModelServices } from "./services/models/model-services.ts";
import type { ModelService } from "./services/models/models.ts";
import type { ProviderService } from "./services/models/providers.ts";
import { createRunService, type RunService } from "./services/runs/runs.ts";
import { createStepService, type StepService } from "./services/runs/steps.ts";
import { createTraceService, type TraceService } from "./services/runs/traces.ts";
import { openEnvironments, openSandboxes } from "./services/sandboxes/open-sandboxes.ts";
import { createSandboxConfigService, type SandboxConfigService } from "./services/sandboxes/sandbox-configs.ts";
import { createToolEnvironmentService, type ToolEnvironmentService } from "./services/sandboxes/tool-environments.ts";
import { createToolSandboxes } from "./services/sandboxes/tool-sandboxes.ts";
import { createSecretOpener } from "./services/secrets/decrypt-secrets.ts";
import { type BackgroundResealing, startResealing } from "./services/secrets/re-encrypt-secrets.ts";
import { createBaseTools } from "./services/tools/base-tools.ts";
import { createComposioExecutors } from "./services/tools/composio-tools.ts";
import { createCustomTools } from "./services/tools/custom-tools.ts";
import { createRestToolService, type RestToolService } from "./services/tools/rest-tools.ts";
import { createCodeExecutors } from "./services/tools/run-code.ts";
import { createToolService, type ToolService } from "./services/tools/tools.ts";
import type { Actor } from "./shared/actor.ts";
import { MemoirError } from "./shared/errors.ts";
import { defaultOrgId, defaultUserId } from "./shared/ids.ts";
import { silentLog } from "./shared/log.ts";
import { resolveDatabase } from "./store/engine/database-address.ts";
import type { MigrationReport } from "./store/engine/migrate.ts";
import { Store } from "./store/engine/store.ts";
import { Readiness } from "./store/readiness.ts";
import { ensureDefaults, findUser, listSecretKeyIds, listWaitingConversations, ping } from "./store/system.ts";
import { findTelemetry } from "./telemetry/find-telemetry.ts";
import { createHostExecutors, rejectUnfitHostTools } from "./tools/executors/host.ts";
import { createRestExecutors } from "./tools/executors/rest.ts";
import { createWebExecutors } from "./tools/executors/web.ts";
import { type Executors, joinExecutors } from "./tools/tool.ts";

export type { MemoirOptions } from "./options.ts";

export class Memoir {
  readonly #options: MemoirOptions;
  #started: Started | undefined;

  constructor(options: MemoirOptions) {
    this.#options = options;
  }

  /** Opens the database, migrates it, and begins to work. */
  async start(): Promise<MigrationReport> {
    if (this.#started) throw new MemoirError("invalid-argument", "this Memoir has been started already");
    const options = { ...this.#options, database: resolveDatabase(this.#options.database) };
    rejectMissingKey(options);
    rejectUnknownDefaults(options);
    rejectUnfitHostTools(options.tools ?? []);
    checkReplyLimit(options);
    const traceDays = checkTraceDays(options);
    const timeouts = readModelTimeouts(options);
    const store = await Store.open(options);
    try {
      const report = await store.migrate();
      await ensureDefaults(store);
      const keyIds = await listSecretKeyIds(store);
      const vault = openVault(options, keyIds);
      const runtime: Runtime = {
        store,
        vault,
        log: options.log ?? silentLog,
        telemetry: findTelemetry(),
        defaults: {
          model: options.defaultModel,
          embedding: options.defaultEmbedding,
          contextWindowCap: options.contextWindowCap ?? 128_000,
        },
      };
      const baseTools = createBaseTools(runtime, options.tools ?? []);
      await baseTools.seed();
      const modelServices = createModelServices(runtime, { ...options, timeouts });
      const traceWriter = new TraceWriter(store, runtime.log, { keepsTraces: traceDays > 0 });
      const sandboxes = openSandboxes(options);
      const environments = openEnvironments(options, runtime.log);
      const toolSandboxes = createToolSandboxes(runtime, sandboxes, environments);
      const sandbox = sandboxes.get(sandboxes.usual);
      const customTools = createCustomTools(runtime, toolSandboxes, options.customTools ?? {});
      const allowedHosts = (options.privateHosts ?? []).map((host) => host.toLowerCase());
      const readSecrets = createSecretOpener(runtime);
      const outside = joinExecutors(
        createWebExecutors({ web: options.web ?? {}, allowedHosts, readSecrets }),
        createRestExecutors({ allowedHosts, readSecrets }),
        createComposioExecutors({ runtime, access: options.composio ?? {}, environment: options.customTools ?? {} }),
        createCodeExecutors({ runtime, sandbox, options: options.customTools ?? {}, executors: () => executors }),
      );
      const executors: Executors = joinExecutors(
        createHostExecutors(options.tools ?? []),
        customTools.executors,
        outside,
      );
      const loop = createLoop(runtime, modelServices, traceWriter, executors, options);
      const jobs = createEmbeddedJobs(runtime.log);
      const runs = createRunService(runtime, loop, jobs);
      const mcpAccess = { allowsPrograms: options.mcpPrograms ?? false, allowedHosts };
      const { composeCallback } = options;
      const webhookSender: WebhookSender = createCallbacks(runtime, { composeCallback, allowedHosts }, () => messages);
      const sending: SendSettings = { allowedHosts, images: { allowedHosts: options.web?.pageHosts ?? [] } };
      const messages: MessageService = createMessageService(runtime, loop, jobs, { webhookSender, ...sending });
      const batches = createBatchService(runtime, { loop, jobs, runs, webhookSender, sending });
      this.#started = {
        store,
        readiness: new Readiness(store),
        jobs,
        sandboxes,
        environments,
        bus: loop.bus,
        traceWriter,
        resealing: startResealing(store, vault, runtime.log, keyIds),
        retention: startRetention(store, runtime.log, traceDays),
        approvalExpiry: startApprovalExpiry(loop, jobs),
        approvals: createApprovalService(runtime, loop, jobs),
        messages,
        webhookSender,
        runs,
        steps: createStepService(runtime),
        batches,
        jobService: createJobService(runtime, batches, runs),
        traces: createTraceService(runtime, loop, modelServices.wired),
        conversations: createConversationService(runtime, loop, jobs, runs),
        context: createContextService(runtime, loop),
        agentTools: createAgentToolService(runtime, customTools, { outside, all: executors }),
        archives: createArchiveService(runtime, modelServices.models),
        passages: createPassageService(runtime),
        tools: createToolService(runtime, { customTools, sandboxes: toolSandboxes, baseTools }),
        toolEnvironments: createToolEnvironmentService(runtime, toolSandboxes),
        restTools: createRestToolService(runtime, allowedHosts),
        agents: createAgentService(runtime, modelServices, executors),
        agentFiles: createAgentFileService(runtime, modelServices, { mcp: mcpAccess, executors }),
        models: modelServices.models,
        providers: modelServices.providers,
        blocks: createBlockService(runtime),
        history: createHistoryService(runtime),
        repair: createRepairService(runtime),
        identities: createIdentityService(runtime),
        keys: createKeyService(runtime),
        audit: createAuditService(runtime),
        tags: createTagService(runtime),
        folders: createFolderService(runtime, modelServices.models),
        openFiles: createOpenFileService(runtime),
        groups: createGroupService(runtime),
        deployments: createDeploymentService(runtime),
        sandboxConfigs: createSandboxConfigService(runtime, toolSandboxes.prepareAll),
        mcpServers: createMcpServerService(runtime, mcpAccess),
        tenants: createTenantService(store, baseTools.seed),
      };
      const drain = (key: ConversationKey, signal: AbortSignal) => drainConversation(loop, key, signal);
      jobs.start({ drainConversation: drain }, await listWaitingConversations(store));
      webhookSender.start();
      return report;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    await started?.webhookSender.stop();
    await started?.jobs.stop();
    await started?.sandboxes.close();
    await started?.environments.close();
    await started?.retention.stop();
    await started?.resealing.stop();
    await started?.approvalExpiry.stop();
    await started?.traceWriter.close();
    started?.bus.close();
    await started?.audit.close();
    await started?.readiness.close();
    await started?.store.close();
  }

  get agents(): AgentService {
    return this.#running.agents;
  }

  get agentFiles(): AgentFileService {
    return this.#running.agentFiles;
  }

  get audit(): AuditService {
    return this.#running.audit;
  }

  get agentTools(): AgentToolService {
    return this.#running.agentTools;
  }

  get archives(): ArchiveService {
    return this.#running.archives;
  }

  get passages(): PassageService {
    return this.#running.passages;
  }

  get tools(): ToolService {
    return this.#running.tools;
  }

  get toolEnvironments(): ToolEnvironmentService {
    return this.#running.toolEnvironments;
  }

  get restTools(): RestToolService {
    return this.#running.restTools;
  }

  get batches(): BatchService {
    return this.#running.batches;
  }

  get blocks(): BlockService {
    return this.#running.blocks;
  }

  get context(): ContextService {
    return this.#running.context;
  }

  get conversations(): ConversationService {
    return this.#running.conversations;
  }

  get history(): HistoryService {
    return this.#running.history;
  }

  get identities(): IdentityService {
    return this.#running.identities;
  }

  get keys(): KeyService {
    return this.#running.keys;
  }

  get jobs(): JobService {
    return this.#running.jobService;
  }

  get messages(): MessageService {
    return this.#running.messages;
  }

  get repair(): RepairService {
    return this.#running.repair;
  }

  get models(): ModelService {
    return this.#running.models;
  }

  get providers(): ProviderService {
    return this.#running.providers;
  }

  get approvals(): ApprovalService {
    return this.#running.approvals;
  }

  get runs(): RunService {
    return this.#running.runs;
  }

  get deployments(): DeploymentService {
    return this.#running.deployments;
  }

  get folders(): FolderService {
    return this.#running.folders;
  }

  get groups(): GroupService {
    return this.#running.groups;
  }

  get mcpServers(): McpServerService {
    return this.#running.mcpServers;
  }

  get openFiles(): OpenFileService {
    return this.#running.openFiles;
  }

  get sandboxConfigs(): SandboxConfigService {
    return this.#running.sandboxConfigs;
  }

  get tenants(): TenantService {
    return this.#running.tenants;
  }

  get steps(): StepService {
    return this.#running.steps;
  }

  get tags(): TagService {
    return this.#running.tags;
  }

  get traces(): TraceService {
    return this.#running.traces;
  }

  /** Who acts where nobody logs in. */
  get defaultActor(): Actor {
    return { orgId: defaultOrgId, userId: defaultUserId };
  }

  async findActor(userId: string): Promise<Actor | undefined> {
    const user = await findUser(this.#running.store, userId);
    return user && { orgId: user.orgId, userId: user.id };
  }

  /** Where the data lives, fit for showing. */
  get location(): { readonly kind: "sqlite" | "postgres"; readonly path: string } {
    const { store } = this.#running;
    return { kind: store.flavor.name, path: store.location };
  }

  /** Throws when the database does not answer. */
  async ping(): Promise<void> {
    await ping(this.#running.store);
  }

  /** Throws with a sentence when the database does not answer, cannot be written to, or is damaged. */
  async checkReady(): Promise<void> {
    await this.#running.readiness.check();
  }

  get #running(): Started {
    if (!this.#started) throw new MemoirError("invalid-argument", "call start() before using Memoir");
    return this.#started;
  }
}

interface Started {
  readonly store: Store;
  readonly readiness: Readiness;
  readonly jobs: Jobs;
  readonly sandboxes: Sandboxes;
  readonly environments: Environments;
  readonly bus: RunBus;
  readonly traceWriter: TraceWriter;
  readonly retention: Retention;
  readonly resealing: BackgroundResealing;
  readonly approvalExpiry: ApprovalExpiry;
  readonly approvals: ApprovalService;
  readonly messages: MessageService;
  readonly webhookSender: WebhookSender;
  readonly runs: RunService;
  readonly batches: BatchService;
  readonly jobService: JobService;
  readonly steps: StepService;
  readonly traces: TraceService;
  readonly context: ContextService;
  readonly conversations: ConversationService;
  readonly agents: AgentService;
  readonly agentTools: AgentToolService;
  readonly archives: ArchiveService;
  readonly passages: PassageService;
  readonly tools: ToolService;
  readonly toolEnvironments: ToolEnvironmentService;
  readonly restTools: RestToolService;
  readonly agentFiles: AgentFileService;
  readonly models: ModelService;
  readonly providers: ProviderService;
  readonly blocks: BlockService;
  readonly history: HistoryService;
  readonly repair: RepairService;
  readonly identities: IdentityService;
  readonly keys: KeyService;
  readonly audit: AuditService;
  readonly tags: TagService;
  readonly folders: FolderService;
  readonly openFiles: OpenFileService;
  readonly groups: GroupService;
  readonly deployments: DeploymentService;
  readonly sandboxConfigs: SandboxConfigService;
  readonly mcpServers: McpServerService;
  readonly tenants: TenantService;
}

function createLoop(
  { store, log, telemetry }: Runtime,
  { engine, directory }: ModelServices,
  traces: TraceWriter,
  executors: Executors,
  options: MemoirOptions,
): Loop {
  const { fallbackModels = [] } = options;
  return {
    store,
    log,
    traces,
    telemetry,
    warned: new Set(),
    models: engine,
    finder: directory,
    fallbacks: fallbackModels,
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
