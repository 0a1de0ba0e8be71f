/** What the page and the command line may share with the server: the wire's types and schemas. */
export { AgentWire, CreateAgentWire, MemoryWire, UpdateAgentWire } from "./letta/agents/schema.ts";
export { BlockUpdateWire, BlockWire, CreateBlockWire } from "./letta/blocks/schema.ts";
export { CompactedWire, ContextWire } from "./letta/context/schema.ts";
export { ConversationWire, CreateConversationWire, UpdateConversationWire } from "./letta/conversations/schema.ts";
export { GroupWire } from "./letta/groups/schema.ts";
export { CreateIdentityWire, IdentityUpdateWire, IdentityWire } from "./letta/identities/schema.ts";
export { MessageWire, SendMessageWire, SendResponseWire } from "./letta/messages/schema.ts";
export { EmbeddingModelWire, ModelWire } from "./letta/models/list-schema.ts";
export { EmbeddingConfigWire, LlmConfigWire, ModelSettingsWire } from "./letta/models/schema.ts";
export { ProviderCreateWire, ProviderWire } from "./letta/providers/schema.ts";
export { ToolRuleWire, ToolWire } from "./letta/tools/schema.ts";
export { BlameWire, DiffWire, RestoreWire, VersionWire } from "./memoir/history/schema.ts";
export { RepairReportWire } from "./memoir/repair/schema.ts";
export { StatusWire } from "./memoir/status.ts";
