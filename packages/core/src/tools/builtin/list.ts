/** The builtin tools that run inside the commit that logs their result, by name. */
import type { RunBuiltin } from "../tool.ts";
import { runArchivalMemoryInsert } from "./archival-memory-insert.ts";
import { runArchivalMemorySearch } from "./archival-memory-search.ts";
import { runConversationSearch } from "./conversation-search.ts";
import { runCoreMemoryAppend } from "./core-memory-append.ts";
import { runCoreMemoryReplace } from "./core-memory-replace.ts";
import { runMemory, runMemoryStrInsert, runMemoryStrReplace } from "./memory.ts";
import { runMemoryApplyPatch } from "./memory-apply-patch.ts";
import { runMemoryFinishEdits } from "./memory-finish-edits.ts";
import { runMemoryInsert } from "./memory-insert.ts";
import { runMemoryReplace } from "./memory-replace.ts";
import { runMemoryRethink } from "./memory-rethink.ts";
import { runSendMessage } from "./send-message.ts";

export const builtinExecutors: ReadonlyMap<string, RunBuiltin> = new Map([
  ["send_message", runSendMessage],
  ["conversation_search", runConversationSearch],
  ["archival_memory_insert", runArchivalMemoryInsert],
  ["archival_memory_search", runArchivalMemorySearch],
  ["core_memory_append", runCoreMemoryAppend],
  ["core_memory_replace", runCoreMemoryReplace],
  ["memory", runMemory],
  ["memory_apply_patch", runMemoryApplyPatch],
  ["memory_replace", runMemoryReplace],
  ["memory_insert", runMemoryInsert],
  ["memory_rethink", runMemoryRethink],
  ["memory_finish_edits", runMemoryFinishEdits],
  // In no catalogue, but imported agents may have tools of these names.
  ["memory_str_replace", runMemoryStrReplace],
  ["memory_str_insert", runMemoryStrInsert],
]);
