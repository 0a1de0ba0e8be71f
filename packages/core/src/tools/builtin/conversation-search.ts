import { prose } from "../../memory/prompts/prose.ts";
import { wordsOf } from "../../memory/search-text.ts";
import { searchWords } from "../../memory/search-words.ts";
import { formatAge, formatTimestamp, readSpan } from "../../memory/timestamps.ts";
import type { JsonObject } from "../../shared/json.ts";
import type { Message, MessageRole } from "../../store/conversations/messages.ts";
import { searchMessages } from "../../store/conversations/search.ts";
import { defineTool } from "./builtin-tool.ts";
import { choices, object, optional, text } from "./input.ts";
import { resultLimit } from "./result-limit.ts";

export const conversationSearch = defineTool({
  name: "conversation_search",
  kind: "core",
  description: prose(`
    Look through your own past messages: those that no longer fit into your context and those of your other
    conversations as well. Reach for it whenever someone refers to an exchange you cannot see, and before you claim not
    to know a thing or never to have been told.

    Wording counts, and so does meaning where embeddings are set up. With only dates or roles it lists what was said in
    that span.

    Returns an object with "message" (how many were found) and "results", each holding timestamp, time_ago, role,
    the text and, where known, its relevance. Output of tools and your own earlier searches are kept out of the
    results. Nothing found does not prove that it was never said: try other words, a wider span or a higher limit.
  `),
  input: object({
    query: optional(
      text(`
        What to find: a name, a few telling words, or a phrase as the speaker may have put it. Leave out to browse by
        date or role alone.
      `),
    ),
    roles: optional(
      choices(
        ["assistant", "user", "tool"],
        `
          Whose messages to look at: "user" for theirs, "assistant" for your own. Leave out for both. "tool" is allowed
          but finds nothing by itself, since tool output is kept out of the results.
        `,
        'which is no role. Use "user", "assistant", or leave it out.',
      ),
    ),
    limit: resultLimit("Most messages to return; 5 when left out."),
    start_date: optional(
      text(`
        Earliest moment, in ISO 8601: a day such as 2025-06-01, or a time such as 2025-06-01T14:30. Without an offset it
        is read in your time zone.
      `),
    ),
    end_date: optional(text("Latest moment, written the same way. A bare day counts to its end.")),
  }),
  isParallel: true,
  run: async (scope, args, { agentId, timezone }) => {
    const { query = "", roles = [], limit } = args;
    const words = query.trim() === "" ? undefined : searchWords(query);
    const span = readSpan(
      { name: "start_date", text: args.start_date },
      { name: "end_date", text: args.end_date },
      timezone,
    );
    const messages = await searchMessages(scope, { agentId, words, roles: chooseRoles(roles), ...span, limit });
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
  },
});

/** Search leaves out the output of tools, so the role "tool" alone finds nothing. */
const foundRoles: readonly MessageRole[] = ["user", "assistant"];

function chooseRoles(asked: readonly MessageRole[]): MessageRole[] {
  return foundRoles.filter((role) => asked.length === 0 || asked.includes(role));
}

/** Returns no other keys than these two. */
function showWords(message: Message): JsonObject {
  const { thinking, content } = wordsOf(message) ?? { content: message.searchText ?? "" };
  return { ...(thinking === undefined ? {} : { thinking }), ...(content === undefined ? {} : { content }) };
}
