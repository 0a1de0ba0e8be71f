/** Every tool that comes with Memoir: rows are seeded, schemas read and calls run from this list. */
import type { RunBuiltin } from "../tool.ts";
import { archivalMemoryInsert } from "./archival-memory-insert.ts";
import { archivalMemorySearch } from "./archival-memory-search.ts";
import type { BuiltinTool } from "./builtin-tool.ts";
import { conversationSearch } from "./conversation-search.ts";
import { coreMemoryAppend } from "./core-memory-append.ts";
import { coreMemoryReplace } from "./core-memory-replace.ts";
import { fetchWebpage } from "./fetch-webpage.ts";
import { finishRethinkingMemory } from "./finish-rethinking-memory.ts";
import { grepFiles } from "./grep-files.ts";
import { memory, runMemoryStrInsert, runMemoryStrReplace } from "./memory.ts";
import { memoryApplyPatch } from "./memory-apply-patch.ts";
import { memoryFinishEdits } from "./memory-finish-edits.ts";
import { memoryInsert } from "./memory-insert.ts";
import { memoryReplace } from "./memory-replace.ts";
import { memoryRethink } from "./memory-rethink.ts";
import { openFiles } from "./open-files.ts";
import { rethinkUserMemory } from "./rethink-user-memory.ts";
import { runCode } from "./run-code.ts";
import { runCodeWithTools } from "./run-code-with-tools.ts";
import { searchMemory } from "./search-memory.ts";
import { semanticSearchFiles } from "./semantic-search-files.ts";
import { sendMessage } from "./send-message.ts";
import { sendMessageToAgentAndWaitForReply } from "./send-message-to-agent-and-wait-for-reply.ts";
import { sendMessageToAgentAsync } from "./send-message-to-agent-async.ts";
import { sendMessageToAgentsMatchingTags } from "./send-message-to-agents-matching-tags.ts";
import { storeMemories } from "./store-memories.ts";
import { webSearch } from "./web-search.ts";

export const builtinTools: readonly BuiltinTool[] = [
  sendMessage,
  conversationSearch,
  archivalMemoryInsert,
  archivalMemorySearch,
  coreMemoryAppend,
  coreMemoryReplace,
  memory,
  memoryApplyPatch,
  memoryReplace,
  memoryInsert,
  memoryRethink,
  memoryFinishEdits,
  searchMemory,
  storeMemories,
  rethinkUserMemory,
  finishRethinkingMemory,
  sendMessageToAgentAndWaitForReply,
  sendMessageToAgentsMatchingTags,
  sendMessageToAgentAsync,
  openFiles,
  grepFiles,
  semanticSearchFiles,
  runCode,
  runCodeWithTools,
  webSearch,
  fetchWebpage,
];

/** The tools that run inside the commit that logs their result, by name. */
export const builtinExecutors: ReadonlyMap<string, RunBuiltin> = new Map([
  ...builtinTools.flatMap(({ name, run }): [string, RunBuiltin][] => (typeof run === "string" ? [] : [[name, run]])),
  ["memory_str_replace", runMemoryStrReplace],
  ["memory_str_insert", runMemoryStrInsert],
]);
