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
      "Block",
      "BlockCause",
      "BlockFilter",
      "BlockService",
      "BlockUpdate",
      "BlockVersion",
      "ChildArgs",
      "CompactionMode",
      "CompactionSettings",
      "ContentPart",
      "DatabaseFacts",
      "DatabaseReport",
      "Effort",
      "EmbeddingConfig",
      "EmbeddingRequest",
      "ErrorCode",
      "ErrorDetails",
      "Folder",
      "Group",
      "GroupKind",
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
      "Log",
      "LoggedEvent",
      "MemoirOptions",
      "Message",
      "MessageRole",
      "MessageService",
      "MigrationReport",
      "ModelConfig",
      "ModelRequest",
      "Models",
      "NewAgent",
      "NewBlock",
      "NewIdentity",
      "OutsideCall",
      "PageRequest",
      "ProviderAccess",
      "Reasoning",
      "ReasoningEffort",
      "ResponseFormat",
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
      "ToolEffect",
      "ToolOutput",
      "ToolReturn",
      "ToolRule",
      "Usage",
      "Verbosity",
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
