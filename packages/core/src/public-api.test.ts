/** The names that embedders build on. A changed list is a decision: additions are free, removals break someone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as api from "./index.ts";
import { parseSource, root } from "./testing/sources.ts";

test("what embedders can call", () => {
  expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
    [
      "Memoir",
      "MemoirError",
      "agentKinds",
      "agentRelations",
      "compactionModes",
      "defaultOrgId",
      "defaultUserId",
      "examineDatabase",
      "isId",
      "isMemoirError",
      "repairAgent",
      "speaksByTool",
      "stopReasons",
      "uuid4Pattern",
      "version",
    ]
  `);
});

test("what embedders can name in types", () => {
  expect(listExportedTypes()).toMatchInlineSnapshot(`
    [
      "Actor",
      "Agent",
      "AgentFilter",
      "AgentKind",
      "AgentListRequest",
      "AgentOrder",
      "AgentRelation",
      "AgentSecret",
      "AgentService",
      "AgentUpdate",
      "AgentView",
      "AvailableEmbedding",
      "AvailableModel",
      "Block",
      "BlockBlame",
      "BlockCause",
      "BlockDiff",
      "BlockFilter",
      "BlockService",
      "BlockUpdate",
      "BlockVersion",
      "ChildArgs",
      "CompactionMode",
      "CompactionResult",
      "CompactionSettings",
      "ContentPart",
      "ContextOverview",
      "ContextPart",
      "ContextService",
      "Conversation",
      "ConversationDetail",
      "ConversationFilter",
      "ConversationListRequest",
      "ConversationOrder",
      "ConversationPlace",
      "ConversationService",
      "ConversationUpdate",
      "ConversationView",
      "DatabaseFacts",
      "DatabaseReport",
      "DiffHunk",
      "DiffLine",
      "Effort",
      "EmbeddingConfig",
      "EmbeddingRequest",
      "ErrorCode",
      "ErrorDetails",
      "FindingKind",
      "Folder",
      "ForkOptions",
      "Group",
      "GroupKind",
      "HistoryService",
      "HostTool",
      "IdPrefix",
      "Identity",
      "IdentityFilter",
      "IdentityKind",
      "IdentityProperty",
      "IdentityService",
      "IdentityUpdate",
      "ImageSource",
      "InitialMessage",
      "InputMessage",
      "JsonObject",
      "JsonValue",
      "LineBlame",
      "ListedVersion",
      "Log",
      "LoggedEvent",
      "MemoirOptions",
      "Message",
      "MessageFilter",
      "MessageListRequest",
      "MessagePage",
      "MessageRole",
      "MessageService",
      "MigrationReport",
      "ModelConfig",
      "ModelFilter",
      "ModelRequest",
      "ModelService",
      "Models",
      "NewAgent",
      "NewBlock",
      "NewConversation",
      "NewIdentity",
      "NewProvider",
      "OutsideCall",
      "PageRequest",
      "Provider",
      "ProviderAccess",
      "ProviderCheck",
      "ProviderFilter",
      "ProviderService",
      "ProviderSettings",
      "ProviderView",
      "Reasoning",
      "ReasoningEffort",
      "RepairFinding",
      "RepairReport",
      "RepairRequest",
      "RepairService",
      "ResponseFormat",
      "RestoreOptions",
      "RestorePoint",
      "RestoredBlock",
      "Run",
      "RunEvent",
      "RunFailure",
      "RunResult",
      "RunService",
      "RunStatus",
      "SendMessage",
      "StopReason",
      "TagService",
      "TaggedBlock",
      "Tool",
      "ToolCall",
      "ToolDefinition",
      "ToolEffect",
      "ToolOutput",
      "ToolReturn",
      "ToolRule",
      "Usage",
      "Verbosity",
      "VersionHead",
      "VersionPage",
    ]
  `);
});

test("the list is explicit: nothing is exported by the sheaf", () => {
  expect(readIndex().program.body.map(({ type }) => type)).not.toContain("ExportAllDeclaration");
});

function readIndex() {
  const path = "packages/core/src/index.ts";
  return parseSource(path, readFileSync(join(root, path), "utf8"));
}

function listExportedTypes(): string[] {
  const values = new Set(Object.keys(api));
  const names = readIndex().program.body.flatMap((statement) =>
    statement.type === "ExportNamedDeclaration"
      ? statement.specifiers.map(({ exported }) => (exported.type === "Literal" ? exported.value : exported.name))
      : [],
  );
  return names.filter((name) => !values.has(name)).sort();
}
