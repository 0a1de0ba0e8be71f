import { prose } from "../../memory/prompts/prose.ts";
import { searchWords } from "../../memory/search-words.ts";
import { formatTimestamp, readSpan } from "../../memory/timestamps.ts";
import { findAgentArchive } from "../../store/archives/archives.ts";
import { searchPassages } from "../../store/conversations/search.ts";
import { defineTool } from "./builtin-tool.ts";
import { choice, object, optional, text, texts } from "./input.ts";
import { resultLimit } from "./result-limit.ts";

export const archivalMemorySearch = defineTool({
  name: "archival_memory_search",
  kind: "core",
  description: prose(`
    Find notes in archival memory, by closeness of meaning and wording. Use it before you answer from a hazy
    recollection, and before you file a note that may exist already. For things said in conversation use
    conversation_search; this tool sees only filed notes and inserted passages.

    Returns a list, best match first, of id, timestamp, content, tags and, where known, relevance. You get 5 unless
    you ask for more. The nearest notes are listed even when none truly fits, so check that a hit answers the question.
    An empty query gives an empty list.
  `),
  input: object({
    query: text(
      `
        What the note is about: a full question or a descriptive phrase works better than one bare word. Search one
        subject at a time.
      `,
      "Say there what the note is about.",
    ),
    tags: optional(texts("Look only at notes that carry these tags. Leave out to search all notes.")),
    tag_match_mode: optional(
      choice(
        ["any", "all"],
        `How several tags combine: "any" (the default) asks for at least one of them, "all" for every one.`,
        'Leave it out for "any".',
      ),
    ),
    top_k: resultLimit("Most notes to return; 5 when left out."),
    start_datetime: optional(
      text(`
        Only notes filed at or after this moment. ISO 8601, a day or a day with a time; your time zone unless an offset
        is given.
      `),
    ),
    end_datetime: optional(
      text("Only notes filed up to this moment, written the same way. A bare day counts to its end."),
    ),
  }),
  isParallel: true,
  run: async (scope, args, { agentId, timezone }) => {
    const words = searchWords(args.query);
    const tags = (args.tags ?? []).map((tag) => tag.trim()).filter((tag) => tag !== "");
    const span = readSpan(
      { name: "start_datetime", text: args.start_datetime },
      { name: "end_datetime", text: args.end_datetime },
      timezone,
    );
    const archive = words.length === 0 ? undefined : await findAgentArchive(scope, agentId);
    if (!archive) return [];
    const matchAllTags = args.tag_match_mode === "all";
    const query = { ownerId: archive.id, words, tags, matchAllTags, ...span, limit: args.top_k };
    return (await searchPassages(scope, query)).map((passage, index) => ({
      id: passage.id,
      timestamp: formatTimestamp(passage.createdAt, timezone),
      content: passage.text,
      tags: passage.tags ?? [],
      relevance: { fts_rank: index + 1 },
    }));
  },
});
