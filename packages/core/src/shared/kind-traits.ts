/** The differences between the kinds of agents; a new kind is a new row. */
import type { AgentKind } from "./agent-kinds.ts";

export interface KindTraits {
  /** Attached to a new agent unless the caller declines base tools. */
  readonly baseTools: readonly string[];
  /** Starts with a canned exchange that shows the model how to reply. */
  readonly hasBootSequence: boolean;
  /** Replies only by calling send_message; its input is wrapped in JSON envelopes. */
  readonly speaksByTool: boolean;
  readonly forcesAutoclear: boolean;
}

const chat: KindTraits = {
  baseTools: [
    "send_message",
    "conversation_search",
    "core_memory_append",
    "core_memory_replace",
    "memory",
    "memory_apply_patch",
    "archival_memory_insert",
    "archival_memory_search",
  ],
  hasBootSequence: true,
  speaksByTool: true,
  forcesAutoclear: false,
};

const toolless: KindTraits = { ...chat, baseTools: [] };

export const kindTraits: Readonly<Record<AgentKind, KindTraits>> = {
  letta_v1_agent: {
    baseTools: [
      "conversation_search",
      "memory_insert",
      "memory_replace",
      "archival_memory_insert",
      "archival_memory_search",
    ],
    hasBootSequence: false,
    speaksByTool: false,
    forcesAutoclear: false,
  },
  memgpt_agent: chat,
  split_thread_agent: { ...chat, baseTools: chat.baseTools.slice(0, 6) },
  memgpt_v2_agent: {
    ...chat,
    baseTools: [
      "send_message",
      "conversation_search",
      "memory_insert",
      "memory_replace",
      "archival_memory_insert",
      "archival_memory_search",
    ],
  },
  sleeptime_agent: {
    baseTools: ["memory_replace", "memory_insert", "memory_rethink", "memory_finish_edits"],
    hasBootSequence: false,
    speaksByTool: false,
    forcesAutoclear: false,
  },
  voice_convo_agent: { ...chat, baseTools: ["send_message", "search_memory"] },
  voice_sleeptime_agent: {
    ...chat,
    baseTools: ["store_memories", "rethink_user_memory", "finish_rethinking_memory"],
    hasBootSequence: false,
  },
  react_agent: toolless,
  workflow_agent: { ...toolless, forcesAutoclear: true },
};

/** The argument that kinds that speak by tool add to every tool for the thought of the model. */
export const thoughtArgument = "thinking";

/** A call to one of these tools ends the turn if base rules are in force. */
export const exitTools: ReadonlySet<string> = new Set([
  "send_message",
  "send_message_to_agent_async",
  "memory_finish_edits",
]);

/** Whether plain text of this kind is a thought, because its replies are calls of send_message. */
export function speaksByTool(kind: AgentKind): boolean {
  return kindTraits[kind].speaksByTool;
}
