/** The public API. A test keeps the list of names. */
export type { Actor } from "./actor.ts";
export { type AgentKind, agentKinds } from "./agent-kinds.ts";
export { type CompactionMode, type CompactionSettings, compactionModes } from "./compaction-settings.ts";
export type { ContentPart, ImageSource, ToolCall, ToolDefinition, ToolReturn, Usage } from "./content.ts";
export { type ErrorCode, type ErrorDetails, isMemoirError, MemoirError } from "./errors.ts";
export { type LoggedEvent, type RunEvent, type RunFailure, type StopReason, stopReasons } from "./events.ts";
export { defaultOrgId, defaultUserId, type IdPrefix, isId, uuid4Pattern } from "./ids.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { Log } from "./log.ts";
export { speaksByTool } from "./loop/kinds.ts";
export { Memoir, type MemoirOptions } from "./memoir.ts";
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
export type { NewAgent } from "./services/agent-create.ts";
export type { EmbeddingRequest, ModelRequest } from "./services/agent-model.ts";
export { type AgentRelation, type AgentSecret, type AgentView, agentRelations } from "./services/agent-view.ts";
export type { AgentListRequest, AgentService, AgentUpdate } from "./services/agents.ts";
export type { AuditNote, AuditService } from "./services/audit.ts";
export type { BlockBlame, LineBlame } from "./services/block-blame.ts";
export type { RestoredBlock, RestoreOptions, RestorePoint } from "./services/block-restore.ts";
export type { BlockService, BlockUpdate, NewBlock, TaggedBlock } from "./services/blocks.ts";
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
export { type DatabaseReport, examineDatabase } from "./services/examine.ts";
export type { InitialMessage } from "./services/first-messages.ts";
export type { BlockDiff, HistoryService, ListedVersion } from "./services/history.ts";
export type { IdentityService, IdentityUpdate, NewIdentity } from "./services/identities.ts";
export { type KeyHolder, type KeyService, keyPrefix, manageKeys, type NewKey } from "./services/keys.ts";
export type { MessageListRequest } from "./services/message-list.ts";
export type { InputMessage, MessageService, RunResult, SendMessage } from "./services/messages.ts";
export type { AvailableEmbedding, AvailableModel, ModelFilter, ModelService } from "./services/models.ts";
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
export type { RunService } from "./services/runs.ts";
export type { DiffSide, PlacedMessage, StepDiff } from "./services/step-diff.ts";
export type { RebuiltRequest, RequestSettings } from "./services/step-request.ts";
export type { StepService } from "./services/steps.ts";
export type { TagService } from "./services/tags.ts";
export type { StepTrace, Trace, TraceService } from "./services/traces.ts";
export type { Sight, Trail } from "./sight.ts";
export type { Agent, AgentFilter, AgentOrder } from "./store/agents.ts";
export type { AuditEntry } from "./store/audit.ts";
export type { BlockCause, BlockVersion, VersionHead, VersionPage } from "./store/block-versions.ts";
export type { Block, BlockFilter } from "./store/blocks.ts";
export type { ConversationFilter, ConversationOrder } from "./store/conversation-list.ts";
export type { Conversation, ConversationPlace } from "./store/conversations.ts";
export type { Folder } from "./store/folders.ts";
export type { Group, GroupKind } from "./store/groups.ts";
export type { Identity, IdentityFilter, IdentityKind, IdentityProperty } from "./store/identities.ts";
export { type ApiKey, type KeyRole, keyRoles } from "./store/keys.ts";
export type { MessageFilter, MessagePage } from "./store/message-list.ts";
export type { Message, MessageRole } from "./store/messages.ts";
export type { MigrationReport } from "./store/migrate.ts";
export type { PageRequest } from "./store/paging.ts";
export type { Provider, ProviderFilter } from "./store/providers.ts";
export type { Run, RunStatus } from "./store/runs.ts";
export type { Step } from "./store/steps.ts";
export type { DatabaseFacts } from "./store/system.ts";
export type { Tool } from "./store/tools.ts";
export type { TraceDetail, TraceKind } from "./store/traces.ts";
export type { ChildArgs, ToolRule } from "./tool-rules.ts";
export type { HostTool } from "./tools/executors/host.ts";
export type { OutsideCall, ToolEffect, ToolOutput } from "./tools/tool.ts";
export { version } from "./version.ts";
