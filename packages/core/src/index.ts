/** The public API. A test keeps the list of names. */
export type { Actor } from "./actor.ts";
export { type AgentKind, agentKinds } from "./agent-kinds.ts";
export type { ApprovalAnswer, ApprovalQuestion, AskedCall } from "./approval.ts";
export { type CompactionMode, type CompactionSettings, compactionModes } from "./compaction-settings.ts";
export type {
  ContentPart,
  ImageSource,
  PromptMessage,
  ToolCall,
  ToolDefinition,
  ToolReturn,
  Usage,
} from "./content.ts";
export { type ErrorCode, type ErrorDetails, invalidInput, isMemoirError, MemoirError } from "./errors.ts";
export {
  type LoggedEvent,
  type ReplyPiece,
  type RunEvent,
  type RunFailure,
  type StopReason,
  stopReasons,
} from "./events.ts";
export { defaultOrgId, defaultUserId, type IdPrefix, isId, uuid4Pattern } from "./ids.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { Log } from "./log.ts";
export { speaksByTool } from "./loop/kinds.ts";
export { Memoir, type MemoirOptions } from "./memoir.ts";
export { toolReturnEnvelope } from "./memory/envelopes.ts";
export type { DiffHunk, DiffLine } from "./memory/unified-diff.ts";
export type { ProviderAccess } from "./model/model.ts";
export type { Models } from "./model/providers.ts";
export type {
  Effort,
  EmbeddingConfig,
  ModelConfig,
  Reasoning,
  ReasoningEffort,
  ResponseFormat,
  Verbosity,
} from "./model-config.ts";
export { type OldSecret, openOldSecret } from "./old-secret.ts";
export type { Sandbox, SandboxJob, SandboxResult } from "./sandbox/sandbox.ts";
export { type SandboxName, sandboxNames } from "./sandbox/sandboxes.ts";
export type { NewAgent } from "./services/agent-create.ts";
export type { AgentFileService } from "./services/agent-files.ts";
export type { EmbeddingRequest, ModelRequest } from "./services/agent-model.ts";
export type { AgentToolService } from "./services/agent-tools.ts";
export { type AgentRelation, type AgentSecret, type AgentView, agentRelations } from "./services/agent-view.ts";
export type { AgentListRequest, AgentService, AgentUpdate } from "./services/agents.ts";
export type { AnsweredApproval, ApprovalService } from "./services/approvals.ts";
export type { ArchiveService, ArchiveUpdate, NewArchive } from "./services/archives.ts";
export type { AuditNote, AuditService } from "./services/audit.ts";
export type { BatchMessage, BatchRequest, BatchService, NewBatch } from "./services/batches.ts";
export type { BlockBlame, LineBlame } from "./services/block-blame.ts";
export type { RestoredBlock, RestoreOptions, RestorePoint } from "./services/block-restore.ts";
export type { BlockService, BlockUpdate, NewBlock, TaggedBlock } from "./services/blocks.ts";
export type { ComposeCallback, Ending } from "./services/callbacks.ts";
export type { CompactionResult } from "./services/compaction.ts";
export type { ContextOverview, ContextPart, ContextService } from "./services/context-overview.ts";
export type { ForkOptions, NewConversation } from "./services/conversation-start.ts";
export type {
  ConversationDetail,
  ConversationListRequest,
  ConversationService,
  ConversationUpdate,
  ConversationView,
} from "./services/conversations.ts";
export type { CustomToolOptions, ToolCallResult, ToolDoor } from "./services/custom-tools.ts";
export type { DeploymentService } from "./services/deployments.ts";
export { type DatabaseReport, examineDatabase } from "./services/examine.ts";
export type { InitialMessage } from "./services/first-messages.ts";
export type { FileView, FolderService, FolderStats, FolderUpdate, NewFolder } from "./services/folders.ts";
export type { Generated, GenerateRequest } from "./services/generate.ts";
export type { GroupSettings } from "./services/group-settings.ts";
export type { GroupService, GroupUpdate, NewGroup } from "./services/groups.ts";
export type { HideValue } from "./services/hide-secrets.ts";
export type { BlockDiff, HistoryService, ListedVersion } from "./services/history.ts";
export type { IdentityService, IdentityUpdate, NewIdentity } from "./services/identities.ts";
export type { JobService } from "./services/jobs.ts";
export { type KeyHolder, type KeyService, keyPrefix, manageKeys, type NewKey } from "./services/keys.ts";
export type { McpAccess, McpSettings } from "./services/mcp-connection.ts";
export type { McpServerService, McpServerView } from "./services/mcp-servers.ts";
export type { MessageListRequest } from "./services/message-list.ts";
export type { FoundMessage, MessageQuestion } from "./services/message-search.ts";
export type { MessageService, RunResult } from "./services/messages.ts";
export type { AvailableEmbedding, AvailableModel, ModelFilter, ModelService } from "./services/models.ts";
export type { OpenFilePage, OpenFileService } from "./services/open-files.ts";
export type { SandboxSettings } from "./services/open-sandboxes.ts";
export type {
  DateArgument,
  NewPassage,
  PassageHit,
  PassageQuery,
  PassageSearchRequest,
  PassageService,
} from "./services/passages.ts";
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
} from "./services/portable.ts";
export type {
  NewProvider,
  ProviderCheck,
  ProviderService,
  ProviderSettings,
  ProviderView,
} from "./services/providers.ts";
export type { RepairReport, RepairService } from "./services/repair.ts";
export { type RepairRequest, repairAgent } from "./services/repair-database.ts";
export type { FindingKind, RepairFinding } from "./services/repair-findings.ts";
export type { NewRestTools, RestToolService, SavedRestTools } from "./services/rest-tools.ts";
export { type RotationReport, rotateSecrets } from "./services/rotate-secrets.ts";
export type { SourceCall } from "./services/run-source.ts";
export type { RunPiece } from "./services/run-stream.ts";
export type { RunListRequest, RunMetrics, RunService, RunView } from "./services/runs.ts";
export type { SandboxConfigService, SandboxVariable, VariableUpdate } from "./services/sandbox-configs.ts";
export type { ApprovalReply, InputImage, InputMessage, InputPart, SendMessage } from "./services/send-message.ts";
export type { DiffSide, PlacedMessage, StepDiff } from "./services/step-diff.ts";
export type { RebuiltRequest, RequestSettings } from "./services/step-request.ts";
export type { StepListRequest, StepService } from "./services/steps.ts";
export type { TagService } from "./services/tags.ts";
export type { TenantService } from "./services/tenants.ts";
export type { ToolIdentity } from "./services/tool-environment.ts";
export type { ToolEnvironment, ToolEnvironmentService } from "./services/tool-environments.ts";
export type { NewTool } from "./services/tool-rows.ts";
export type { ToolUpdate } from "./services/tool-update.ts";
export type { ToolHit, ToolSearch, ToolService } from "./services/tools.ts";
export type { StepTrace, Trace, TraceService } from "./services/traces.ts";
export type { Sight, Trail } from "./sight.ts";
export type { StepEnd, StepListener } from "./step-end.ts";
export type { Agent, AgentFilter, AgentOrder } from "./store/agents.ts";
export type { Approval, ApprovalFilter } from "./store/approvals.ts";
export type { Archive, ArchiveFilter } from "./store/archives.ts";
export type { AuditEntry } from "./store/audit.ts";
export type { BlockCause, BlockVersion, VersionHead, VersionPage } from "./store/block-versions.ts";
export type { Block, BlockFilter } from "./store/blocks.ts";
export type { ConversationFilter, ConversationOrder } from "./store/conversation-list.ts";
export type { Conversation, ConversationPlace } from "./store/conversations.ts";
export { resolveDatabase } from "./store/database-address.ts";
export { type DatabaseFault, describeFault, findDatabaseFault } from "./store/database-faults.ts";
export { type DatabaseLock, lockDatabase } from "./store/database-lock.ts";
export { type DeployedEntity, type DeployedKind, deployedKinds } from "./store/deployments.ts";
export type { NamedLink } from "./store/file-links.ts";
export type { FolderPassage } from "./store/file-passages.ts";
export { type FileRecord, type FileStatus, fileStates } from "./store/files.ts";
export type { Folder } from "./store/folders.ts";
export { type Group, type GroupFilter, type GroupKind, groupKinds } from "./store/groups.ts";
export type { Identity, IdentityFilter, IdentityKind, IdentityProperty } from "./store/identities.ts";
export { type Job, type JobFilter, type JobStatus, jobStatuses } from "./store/jobs.ts";
export { type ApiKey, type KeyRole, keyRoles } from "./store/keys.ts";
export { type McpServer, type McpTransport, mcpTransports } from "./store/mcp-servers.ts";
export type { MessageFilter, MessagePage } from "./store/message-list.ts";
export type { Message, MessageRole } from "./store/messages.ts";
export type { MigrationReport } from "./store/migrate.ts";
export type { PageRequest } from "./store/paging.ts";
export type { Passage } from "./store/passages.ts";
export type { Provider, ProviderFilter } from "./store/providers.ts";
export type { RunFilter, RunOrder } from "./store/run-list.ts";
export type { RunUsage } from "./store/run-work.ts";
export type { ClientSkill, Run, RunApproval, RunStatus } from "./store/runs.ts";
export { type SandboxConfig, type SandboxKind, sandboxKinds } from "./store/sandbox-configs.ts";
export type { Feedback, ListedStep, StepFilter, StepOpinion } from "./store/step-list.ts";
export type { Step } from "./store/steps.ts";
export type { DatabaseFacts, Organization, StoredUser, TenantPage } from "./store/system.ts";
export type { Tool, ToolFilter } from "./store/tools.ts";
export type { TraceDetail, TraceKind } from "./store/traces.ts";
export { isTelemetryOn } from "./telemetry/find-telemetry.ts";
export type { ToolPermissions, ToolSelection } from "./tool-permissions.ts";
export type { ChildArgs, ToolRule } from "./tool-rules.ts";
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
export { version } from "./version.ts";
