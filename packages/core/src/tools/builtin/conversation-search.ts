import { refusal } from "../../memory/block-rules.ts";
import { wordsOf } from "../../memory/search-text.ts";
import { searchWords } from "../../memory/search-words.ts";
import { formatAge, formatTimestamp, readSpan } from "../../memory/timestamps.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { Message, MessageRole } from "../../store/conversations/messages.ts";
import { searchMessages } from "../../store/conversations/search.ts";
import type { RunBuiltin } from "../tool.ts";
import { findText, findTexts, readLimit } from "./call-arguments.ts";

export const runConversationSearch: RunBuiltin = async (scope, args, { agentId, timezone }) => {
  const query = findText(args, "query") ?? "";
  const words = query.trim() === "" ? undefined : searchWords(query);
  const span = readSpan(
    { name: "start_date", text: findText(args, "start_date") },
    { name: "end_date", text: findText(args, "end_date") },
    timezone,
  );
  const limit = readLimit(args, "limit");
  const messages = await searchMessages(scope, { agentId, words, roles: readRoles(args), ...span, limit });
  if (messages.length === 0) return { message: "No results found.", results: [] };
  const now = scope.now();
  const results = messages.map((message, index) => ({
    timestamp: formatTimestamp(message.createdAt, timezone),
    time_ago: formatAge(message.createdAt, now),
    role: message.role === "approval" ? "assistant" : message.role,
    ...(words ? { relevance: { fts_rank: index + 1, search_mode: "fts" } } : {}),
    ...showWords(message),
  }));
  return { message: `Showing ${results.length} results:`, results };
};

/** The output of tools is kept out, so asking for it alone finds nothing. */
const foundRoles: readonly MessageRole[] = ["user", "assistant"];
const knownRoles: readonly string[] = [...foundRoles, "tool"];

function readRoles(args: JsonObject): MessageRole[] {
  const asked = findTexts(args, "roles") ?? [];
  const unknown = asked.find((role) => !knownRoles.includes(role));
  if (unknown !== undefined) {
    throw refusal(
      `roles holds "${unknown.slice(0, 100)}", which is no role. Use "user", "assistant", or leave it out.`,
    );
  }
  return foundRoles.filter((role) => asked.length === 0 || asked.includes(role));
}

/** Only ever these two keys, whatever a message says. */
function showWords(message: Message): JsonObject {
  const { thinking, content } = wordsOf(message) ?? { content: message.searchText ?? "" };
  return { ...(thinking === undefined ? {} : { thinking }), ...(content === undefined ? {} : { content }) };
}
