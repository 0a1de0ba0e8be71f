/** The public API. A test keeps the list of names. */
export { Memoir, type MemoirOptions } from "./memoir.ts";
export { toolReturnEnvelope } from "./memory/envelopes.ts";
export type { DiffHunk, DiffLine } from "./memory/unified-diff.ts";
export type { ProviderAccess } from "./model/model.ts";
export type { Models } from "./model/providers.ts";
export { defaultOptions } from "./options.ts";
export type { Sandbox, SandboxJob, SandboxResult } from "./sandbox/sandbox.ts";
export { type SandboxName, sandboxNames } from "./sandbox/sandboxes.ts";
export { decryptLegacySecret, type LegacySecret } from "./secrets/legacy-secret.ts";
export type { AuditNote, AuditService } from "./services/access/audit.ts";
export { type KeyHolder, type KeyService, keyPrefix, manageKeys, type NewKey } from "./services/access/keys.ts";
export type { TenantService } from "./services/access/tenants.ts";
export type {
  ExportOptions,
  ImportOptions,
  ImportResult,
  PortableAgent,
  PortableAgents,
  PortableBlock,
  PortableFile,
  PortableFileLink,
  PortableFolder,
  PortableGroup,
  PortableMcpServer,
  PortableMessage,
  PortableTool,
} from "./services/agent-files/agent-file-format.ts";
export type { AgentFileService } from "./services/agent-files/agent-files.ts";
export {
  type AgentRelation,
  type AgentView,
  agentRelations,
} from "./services/agent-view/agent-view.ts";
export type { NewAgent } from "./services/agents/agent-create.ts";
export type { RepairReport, RepairService } from "./services/agents/agent-repair.ts";
export type { AgentToolService } from "./services/agents/agent-tools.ts";
export type { AgentListRequest, AgentService, AgentUpdate } from "./services/agents/agents.ts";
export type { DeploymentService } from "./services/agents/deployments.ts";
export type { GroupSettings } from "./services/agents/group-settings.ts";
export type { GroupService, GroupUpdate, NewGroup } from "./services/agents/groups.ts";
export type { IdentityService, IdentityUpdate, NewIdentity } from "./services/agents/identities.ts";
export type { FindingKind, RepairFinding } from "./services/agents/repair-findings.ts";
export { type RepairRequest, repairAgent } from "./services/agents/repair-offline.ts";
export type { TagService } from "./services/agents/tags.ts";
export type { AnsweredApproval, ApprovalService } from "./services/approvals/approvals.ts";
export type { ArchiveService, ArchiveUpdate, NewArchive } from "./services/archives/archives.ts";
export type {
  DateArgument,
  NewPassage,
  PassageHit,
  PassageQuery,
  PassageSearchRequest,
  PassageService,
} from "./services/archives/passages.ts";
export type { BlockBlame, LineBlame } from "./services/blocks/block-blame.ts";
export type { BlockDiff, HistoryService, ListedVersion } from "./services/blocks/block-history.ts";
export type { RestoredBlock, RestoreOptions, RestorePoint } from "./services/blocks/block-restore.ts";
export type { BlockService, BlockUpdate, NewBlock, TaggedBlock } from "./services/blocks/blocks.ts";
export type { ContextOverview, ContextPart, ContextService } from "./services/conversations/context-overview.ts";
export type { ForkOptions, NewConversation } from "./services/conversations/conversation-start.ts";
export type {
  ConversationDetail,
  ConversationListRequest,
  ConversationService,
  ConversationUpdate,
  ConversationView,
} from "./services/conversations/conversations.ts";
export type { InitialMessage } from "./services/conversations/first-messages.ts";
export type { FileView, FolderService, FolderStats, FolderUpdate, NewFolder } from "./services/files/folders.ts";
export type { OpenFilePage, OpenFileService } from "./services/files/open-files.ts";
export type { McpAccess, McpSettings } from "./services/mcp/mcp-connection.ts";
export type { McpServerService, McpServerView } from "./services/mcp/mcp-servers.ts";
export type { BatchMessage, BatchRequest, BatchService, NewBatch } from "./services/messages/batches.ts";
export type { ComposeCallback, Ending } from "./services/messages/callbacks.ts";
export type { CompactionResult } from "./services/messages/compaction.ts";
export type { Generated, GenerateRequest } from "./services/messages/generate.ts";
export type { JobService } from "./services/messages/jobs.ts";
export type { MessageListRequest } from "./services/messages/message-list.ts";
export type { FoundMessage, MessageQuestion } from "./services/messages/message-search.ts";
export type { MessageService, RunResult } from "./services/messages/messages.ts";
export type {
  ApprovalReply,
  InputImage,
  InputMessage,
  InputPart,
  SendMessage,
} from "./services/messages/send-message.ts";
export type { AvailableEmbedding, AvailableModel, ModelFilter, ModelService } from "./services/models/models.ts";
export type {
  NewProvider,
  ProviderCheck,
  ProviderService,
  ProviderSettings,
  ProviderView,
} from "./services/models/providers.ts";
export type { EmbeddingRequest, ModelRequest } from "./services/models/resolve-model.ts";
export { type DatabaseReport, examineDatabase } from "./services/offline/inspect-database.ts";
export type { RunPiece } from "./services/runs/run-stream.ts";
export type { RunListRequest, RunMetrics, RunService, RunView } from "./services/runs/runs.ts";
export type { DiffSide, PlacedMessage, StepDiff } from "./services/runs/step-diff.ts";
export type { RebuiltRequest, RequestSettings } from "./services/runs/step-request.ts";
export type { StepListRequest, StepService } from "./services/runs/steps.ts";
export type { StepTrace, Trace, TraceService } from "./services/runs/traces.ts";
export type { SandboxSettings } from "./services/sandboxes/open-sandboxes.ts";
export type { SandboxConfigService, SandboxVariable, VariableUpdate } from "./services/sandboxes/sandbox-configs.ts";
export type { ToolIdentity } from "./services/sandboxes/tool-environment.ts";
export type { ToolEnvironment, ToolEnvironmentService } from "./services/sandboxes/tool-environments.ts";
export type { HideValue } from "./services/secrets/redact-secrets.ts";
export { type RotationReport, rotateSecrets } from "./services/secrets/rotate-secrets.ts";
export type { AgentSecret } from "./services/secrets/secret-scope.ts";
export type { CustomToolOptions, ToolCallResult, ToolSession } from "./services/tools/custom-tools.ts";
export type { NewRestTools, RestToolService, SavedRestTools } from "./services/tools/rest-tools.ts";
export type { SourceCall } from "./services/tools/run-source.ts";
export type { NewTool } from "./services/tools/tool-rows.ts";
export type { ToolUpdate } from "./services/tools/tool-update.ts";
export type { ToolHit, ToolSearch, ToolService } from "./services/tools/tools.ts";
export type { Actor } from "./shared/actor.ts";
export { type AgentKind, agentKinds } from "./shared/agent-kinds.ts";
export type { ApprovalAnswer, ApprovalQuestion, AskedCall } from "./shared/approval.ts";
export { type CompactionMode, type CompactionSettings, compactionModes } from "./shared/compaction-settings.ts";
export {
  type ContentPart,
  type ImageSource,
  type PromptMessage,
  type ToolCall,
  type ToolDefinition,
  type ToolReturn,
  textOf,
  type Usage,
} from "./shared/content.ts";
export { type ErrorCode, type ErrorDetails, invalidInput, isMemoirError, MemoirError } from "./shared/errors.ts";
export {
  type LoggedEvent,
  type ReplyPiece,
  type RunEvent,
  type RunFailure,
  type StopReason,
  stopReasons,
} from "./shared/events.ts";
export { defaultOrgId, defaultUserId, type IdPrefix, isId, uuid4Pattern } from "./shared/ids.ts";
export { type JsonObject, type JsonValue, parseJson, parseJsonObject } from "./shared/json.ts";
export { speaksByTool, thoughtArgument } from "./shared/kind-traits.ts";
export type { Log } from "./shared/log.ts";
export type {
  Effort,
  EmbeddingConfig,
  ModelConfig,
  Reasoning,
  ReasoningEffort,
  ResponseFormat,
  Verbosity,
} from "./shared/model-config.ts";
export { omitUndefined } from "./shared/omit-undefined.ts";
export type { ContextRange, PromptSnapshot } from "./shared/prompt-snapshot.ts";
export type { ProviderRow } from "./shared/provider-row.ts";
export { findProviderRow, providerRows } from "./shared/provider-rows.ts";
export type { StepEnd, StepListener } from "./shared/step-end.ts";
export type { ToolPermissions, ToolSelection } from "./shared/tool-permissions.ts";
export type { ChildArgs, ToolRule } from "./shared/tool-rules.ts";
export { version } from "./shared/version.ts";
export type { AuditEntry } from "./store/access/audit.ts";
export { type ApiKey, type KeyRole, keyRoles } from "./store/access/keys.ts";
export type { Provider, ProviderFilter } from "./store/access/providers.ts";
export type { Agent, AgentFilter, AgentOrder } from "./store/agents/agents.ts";
export { type DeployedEntity, type DeployedKind, deployedKinds } from "./store/agents/deployments.ts";
export { type Group, type GroupFilter, type GroupKind, groupKinds } from "./store/agents/groups.ts";
export type { Identity, IdentityFilter, IdentityKind, IdentityProperty } from "./store/agents/identities.ts";
export type { Archive, ArchiveFilter } from "./store/archives/archives.ts";
export type { Passage } from "./store/archives/passages.ts";
export type { BlockCause, BlockVersion, VersionHead, VersionPage } from "./store/blocks/block-versions.ts";
export type { Block, BlockFilter } from "./store/blocks/blocks.ts";
export type { ConversationFilter, ConversationOrder } from "./store/conversations/conversation-list.ts";
export type { Conversation, ConversationPlace } from "./store/conversations/conversations.ts";
export type { MessageFilter, MessagePage } from "./store/conversations/message-list.ts";
export type { Message, MessageRole } from "./store/conversations/messages.ts";
export { resolveDatabase } from "./store/engine/database-address.ts";
export { type DatabaseFault, describeFault, findDatabaseFault } from "./store/engine/database-faults.ts";
export { type DatabaseLock, lockDatabase } from "./store/engine/database-lock.ts";
export type { MigrationReport } from "./store/engine/migrate.ts";
export type { PageRequest } from "./store/engine/paging.ts";
export type { NamedLink } from "./store/files/file-links.ts";
export type { FolderPassage } from "./store/files/file-passages.ts";
export { type FileRecord, type FileStatus, fileStates } from "./store/files/files.ts";
export type { Folder } from "./store/files/folders.ts";
export type { Approval, ApprovalFilter } from "./store/runs/approvals.ts";
export { type Job, type JobFilter, type JobStatus, jobStatuses } from "./store/runs/jobs.ts";
export type { RunFilter, RunOrder } from "./store/runs/run-list.ts";
export type { RunUsage } from "./store/runs/run-usage.ts";
export type { ClientSkill, Run, RunApproval, RunStatus } from "./store/runs/runs.ts";
export type { Feedback, ListedStep, StepFilter, StepOpinion } from "./store/runs/step-list.ts";
export type { Step } from "./store/runs/steps.ts";
export type { TraceDetail, TraceKind } from "./store/runs/traces.ts";
export type { DatabaseFacts, Organization, StoredUser, TenantPage } from "./store/system.ts";
export { type McpServer, type McpTransport, mcpTransports } from "./store/tools/mcp-servers.ts";
export { type SandboxConfig, type SandboxKind, sandboxKinds } from "./store/tools/sandbox-configs.ts";
export type { Tool, ToolFilter } from "./store/tools/tools.ts";
export { isTelemetryOn } from "./telemetry/find-telemetry.ts";
export type { ComposioAccess } from "./tools/composio/run-action.ts";
export type { HostTool } from "./tools/executors/host.ts";
export { type NewHostTool, tool } from "./tools/host-tool.ts";
export type { GivenCredentials } from "./tools/rest/credentials.ts";
export type { OpenApiSource } from "./tools/rest/openapi.ts";
export { type RestMethod, restMethods } from "./tools/rest/operation.ts";
export type { RestTemplate } from "./tools/rest/template.ts";
export { gradeSchema, type SchemaGrade, type SchemaHealth } from "./tools/schema-health.ts";
export type { OutputOf, StandardIssue, StandardResult, StandardSchema } from "./tools/standard-schema.ts";
export type { OutsideCall, ToolEffect, ToolOutput } from "./tools/tool.ts";
export type { WebAccess } from "./tools/web/access.ts";
