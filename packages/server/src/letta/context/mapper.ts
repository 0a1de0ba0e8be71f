/** What a model sees of a conversation, from core to wire. */
import type { CompactionResult, ContextOverview, ContextPart, ToolDefinition } from "@memoir/core";
import type { CompactedWire, ContextWire, FunctionToolWire } from "./schema.ts";
import { toCompiledMessageWire, toStoredMessageWire } from "./stored-message.ts";

export function toCompactedWire(result: CompactionResult): CompactedWire {
  return {
    summary: result.summary,
    num_messages_before: result.messagesBefore,
    num_messages_after: result.messagesAfter,
  };
}

export function toContextWire(overview: ContextOverview, isDefault: boolean): ContextWire {
  return {
    context_window_size_max: overview.contextWindow,
    context_window_size_current: overview.tokens,
    num_messages: overview.messages.length,
    num_archival_memory: overview.archivalCount,
    num_recall_memory: overview.recallCount,
    num_tokens_external_memory_summary: overview.metadata.tokens,
    external_memory_summary: overview.metadata.text,
    num_tokens_system: overview.system.tokens,
    system_prompt: overview.system.text,
    num_tokens_core_memory: overview.coreMemory.tokens,
    core_memory: overview.coreMemory.text,
    num_tokens_memory_filesystem: overview.memoryFiles.tokens,
    memory_filesystem: textOrNull(overview.memoryFiles),
    num_tokens_tool_usage_rules: overview.toolRules.tokens,
    tool_usage_rules: textOrNull(overview.toolRules),
    num_tokens_directories: overview.directories.tokens,
    directories: textOrNull(overview.directories),
    num_tokens_summary_memory: overview.summary.tokens,
    summary_memory: textOrNull(overview.summary),
    num_tokens_functions_definitions: overview.toolTokens,
    functions_definitions: overview.tools.map(toFunctionToolWire),
    num_tokens_messages: overview.messageTokens,
    messages: overview.messages.map((message, index) =>
      index === 0 && message.role === "system"
        ? toCompiledMessageWire(message, isDefault)
        : toStoredMessageWire(message, isDefault),
    ),
  };
}

function textOrNull({ text }: ContextPart): string | null {
  return text === "" ? null : text;
}

function toFunctionToolWire({ name, description, parameters }: ToolDefinition): FunctionToolWire {
  return { function: { name, description, parameters, strict: null }, type: "function" };
}
