/** Speaking, and finding again what was said or noted: the tools nearly every agent has. */

import { prose } from "../../memory/prompts/prose.ts";
import { type BuiltinTool, choice, integer, listOf, object, text } from "./builtin-tool.ts";

const sendMessage: BuiltinTool = {
  name: "send_message",
  kind: "core",
  description: prose(`
    Speak to the user. For an agent that talks through tools, this is the only text that reaches anyone; thoughts and
    other tool calls stay private.

    Do the work first: look up, compute and save whatever your answer rests on, because in the usual set-up a delivered
    message ends your turn. What you send is final and goes out exactly as written.

    Returns a short confirmation. The user's reaction arrives later as a new message.
  `),
  parameters: object(
    {
      message: text(`
        The full wording of your reply, in the user's language, ready to be read. Leave out notes to yourself and
        mentions of tools unless the user asked about them.
      `),
    },
    ["message"],
  ),
  isParallel: false,
};

const conversationSearch: BuiltinTool = {
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
  parameters: object({
    query: text(`
      What to find: a name, a few telling words, or a phrase as the speaker may have put it. Leave out to browse by
      date or role alone.
    `),
    roles: listOf(
      { type: "string", enum: ["assistant", "user", "tool"] },
      `
        Whose messages to look at: "user" for theirs, "assistant" for your own. Leave out for both. "tool" is allowed
        but finds nothing by itself, since tool output is kept out of the results.
      `,
    ),
    limit: integer("Most messages to return; 5 when left out."),
    start_date: text(`
      Earliest moment, in ISO 8601: a day such as 2025-06-01, or a time such as 2025-06-01T14:30. Without an offset it
      is read in your time zone.
    `),
    end_date: text("Latest moment, written the same way. A bare day counts to its end."),
  }),
  isParallel: true,
};

const archivalMemoryInsert: BuiltinTool = {
  name: "archival_memory_insert",
  kind: "core",
  description: prose(`
    File a note in archival memory: a store without a size limit that lies outside your prompt and is read with
    archival_memory_search. It suits details you may want one day but need not see all the time: facts, decisions with
    their reasons, results, the gist of a document. What should guide every conversation belongs in a memory block.

    A note must make sense to a reader who knows nothing else: write names instead of pronouns, calendar dates instead
    of "yesterday", and keep to one subject. No tool changes a note afterwards and filing one twice leaves two copies,
    so search first if you may have noted the matter before.

    Returns nothing. No error means that the note is kept.
  `),
  parameters: object(
    {
      content: text("The note, complete in itself: one subject, from a sentence to a few paragraphs."),
      tags: listOf(
        { type: "string" },
        `
          Short key words to narrow later searches, such as a project or a kind of note. Reuse tags you already have
          rather than coining near-duplicates.
        `,
      ),
    },
    ["content"],
  ),
  isParallel: false,
};

const archivalMemorySearch: BuiltinTool = {
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
  parameters: object(
    {
      query: text(`
        What the note is about: a full question or a descriptive phrase works better than one bare word. Search one
        subject at a time.
      `),
      tags: listOf({ type: "string" }, "Look only at notes that carry these tags. Leave out to search all notes."),
      tag_match_mode: choice(
        ["any", "all"],
        `How several tags combine: "any" (the default) asks for at least one of them, "all" for every one.`,
      ),
      top_k: integer("Most notes to return; 5 when left out."),
      start_datetime: text(`
        Only notes filed at or after this moment. ISO 8601, a day or a day with a time; your time zone unless an offset
        is given.
      `),
      end_datetime: text("Only notes filed up to this moment, written the same way. A bare day counts to its end."),
    },
    ["query"],
  ),
  isParallel: true,
};

export const coreTools: readonly BuiltinTool[] = [
  sendMessage,
  conversationSearch,
  archivalMemoryInsert,
  archivalMemorySearch,
];
