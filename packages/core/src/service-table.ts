/** The one list of services: each is a property of Memoir under the name it has here. */
import type { Jobs } from "./jobs/jobs.ts";
import type { Loop } from "./loop/loop.ts";
import type { Runtime } from "./runtime.ts";
import { createAuditService } from "./services/access/audit.ts";
import { createKeyService } from "./services/access/keys.ts";
import { createTenantService } from "./services/access/tenants.ts";
import { createAgentFileService } from "./services/agent-files/agent-files.ts";
import { createRepairService } from "./services/agents/agent-repair.ts";
import { createAgentToolService } from "./services/agents/agent-tools.ts";
import { createAgentService } from "./services/agents/agents.ts";
import { createDeploymentService } from "./services/agents/deployments.ts";
import { createGroupService } from "./services/agents/groups.ts";
import { createIdentityService } from "./services/agents/identities.ts";
import { createTagService } from "./services/agents/tags.ts";
import { createApprovalService } from "./services/approvals/approvals.ts";
import { createArchiveService } from "./services/archives/archives.ts";
import { createPassageService } from "./services/archives/passages.ts";
import { createHistoryService } from "./services/blocks/block-history.ts";
import { createBlockService } from "./services/blocks/blocks.ts";
import { createContextService } from "./services/conversations/context-overview.ts";
import { createConversationService } from "./services/conversations/conversations.ts";
import { createFolderService } from "./services/files/folders.ts";
import { createOpenFileService } from "./services/files/open-files.ts";
import type { McpAccess } from "./services/mcp/mcp-connection.ts";
import { createMcpServerService } from "./services/mcp/mcp-servers.ts";
import type { BatchService } from "./services/messages/batches.ts";
import { createJobService } from "./services/messages/jobs.ts";
import type { MessageService } from "./services/messages/messages.ts";
import type { ModelServices } from "./services/models/model-services.ts";
import type { RunService } from "./services/runs/runs.ts";
import { createStepService } from "./services/runs/steps.ts";
import { createTraceService } from "./services/runs/traces.ts";
import { createSandboxConfigService } from "./services/sandboxes/sandbox-configs.ts";
import { createToolEnvironmentService } from "./services/sandboxes/tool-environments.ts";
import type { ToolSandboxes } from "./services/sandboxes/tool-sandboxes.ts";
import type { BaseTools } from "./services/tools/base-tools.ts";
import type { CustomTools } from "./services/tools/custom-tools.ts";
import { createRestToolService } from "./services/tools/rest-tools.ts";
import { createToolService } from "./services/tools/tools.ts";
import type { Executors } from "./tools/tool.ts";

/** The parts that services are built over. */
export interface ServiceParts {
  readonly runtime: Runtime;
  readonly loop: Loop;
  readonly jobs: Jobs;
  readonly modelServices: ModelServices;
  readonly baseTools: BaseTools;
  readonly customTools: CustomTools;
  readonly toolSandboxes: ToolSandboxes;
  readonly executors: ToolExecutors;
  readonly allowedHosts: readonly string[];
  readonly mcp: McpAccess;
  readonly runs: RunService;
  readonly messages: MessageService;
  readonly batches: BatchService;
}

export interface ToolExecutors {
  /** Executors of tools that reach other servers or run code of an agent. */
  readonly outside: Executors;
  readonly all: Executors;
}

const serviceTable = {
  agentFiles: ({ runtime, modelServices, mcp, executors }: ServiceParts) =>
    createAgentFileService(runtime, modelServices, { mcp, executors: executors.all }),
  agents: ({ runtime, modelServices, executors }: ServiceParts) =>
    createAgentService(runtime, modelServices, executors.all),
  agentTools: ({ runtime, customTools, executors }: ServiceParts) =>
    createAgentToolService(runtime, customTools, executors),
  approvals: ({ runtime, loop, jobs }: ServiceParts) => createApprovalService(runtime, loop, jobs),
  archives: ({ runtime, modelServices }: ServiceParts) => createArchiveService(runtime, modelServices.models),
  audit: ({ runtime }: ServiceParts) => createAuditService(runtime),
  batches: ({ batches }: ServiceParts) => batches,
  blocks: ({ runtime }: ServiceParts) => createBlockService(runtime),
  context: ({ runtime, loop }: ServiceParts) => createContextService(runtime, loop),
  conversations: ({ runtime, loop, jobs, runs }: ServiceParts) => createConversationService(runtime, loop, jobs, runs),
  deployments: ({ runtime }: ServiceParts) => createDeploymentService(runtime),
  folders: ({ runtime, modelServices }: ServiceParts) => createFolderService(runtime, modelServices.models),
  groups: ({ runtime }: ServiceParts) => createGroupService(runtime),
  history: ({ runtime }: ServiceParts) => createHistoryService(runtime),
  identities: ({ runtime }: ServiceParts) => createIdentityService(runtime),
  jobs: ({ runtime, batches, runs }: ServiceParts) => createJobService(runtime, batches, runs),
  keys: ({ runtime }: ServiceParts) => createKeyService(runtime),
  mcpServers: ({ runtime, mcp }: ServiceParts) => createMcpServerService(runtime, mcp),
  messages: ({ messages }: ServiceParts) => messages,
  models: ({ modelServices }: ServiceParts) => modelServices.models,
  openFiles: ({ runtime }: ServiceParts) => createOpenFileService(runtime),
  passages: ({ runtime }: ServiceParts) => createPassageService(runtime),
  providers: ({ modelServices }: ServiceParts) => modelServices.providers,
  repair: ({ runtime }: ServiceParts) => createRepairService(runtime),
  restTools: ({ runtime, allowedHosts }: ServiceParts) => createRestToolService(runtime, allowedHosts),
  runs: ({ runs }: ServiceParts) => runs,
  sandboxConfigs: ({ runtime, toolSandboxes }: ServiceParts) =>
    createSandboxConfigService(runtime, toolSandboxes.prepareAll),
  steps: ({ runtime }: ServiceParts) => createStepService(runtime),
  tags: ({ runtime }: ServiceParts) => createTagService(runtime),
  tenants: ({ runtime, baseTools }: ServiceParts) => createTenantService(runtime.store, baseTools.seed),
  toolEnvironments: ({ runtime, toolSandboxes }: ServiceParts) => createToolEnvironmentService(runtime, toolSandboxes),
  tools: ({ runtime, customTools, toolSandboxes, baseTools }: ServiceParts) =>
    createToolService(runtime, { customTools, sandboxes: toolSandboxes, baseTools }),
  traces: ({ runtime, loop, modelServices }: ServiceParts) => createTraceService(runtime, loop, modelServices.wired),
};

type ServiceTable = typeof serviceTable;

export type Services = { readonly [Name in keyof ServiceTable]: ReturnType<ServiceTable[Name]> };

export const serviceNames = Object.keys(serviceTable) as (keyof Services)[];

export function createServices(parts: ServiceParts): Services {
  return Object.fromEntries(serviceNames.map((name) => [name, serviceTable[name](parts)])) as unknown as Services;
}
