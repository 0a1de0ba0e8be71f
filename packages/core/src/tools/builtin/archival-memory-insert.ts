import { countCharacters, refusal } from "../../memory/block-rules.ts";
import { longestPassage } from "../../memory/passage-rules.ts";
import { prose } from "../../memory/prompts/prose.ts";
import { getAgent } from "../../store/agents/agents.ts";
import { ensureAgentArchive } from "../../store/archives/archives.ts";
import { insertPassages, newPassage } from "../../store/archives/passages.ts";
import { defineTool } from "./builtin-tool.ts";
import { object, optional, text, texts } from "./input.ts";

export const archivalMemoryInsert = defineTool({
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
  input: object({
    content: text(
      "The note, complete in itself: one subject, from a sentence to a few paragraphs.",
      "Write the note there.",
    ),
    tags: optional(
      texts(`
        Short key words to narrow later searches, such as a project or a kind of note. Reuse tags you already have
        rather than coining near-duplicates.
      `),
    ),
  }),
  run: async (scope, { content, tags }, { agentId, cause }) => {
    rejectUnfit(content);
    const archive = await ensureAgentArchive(scope, await getAgent(scope, agentId), cause.userId);
    await insertPassages(scope, [
      newPassage(scope, {
        archiveId: archive.id,
        text: content,
        tags: tags?.map((tag) => tag.trim()).filter((tag) => tag !== "") ?? null,
        createdBy: cause.userId,
      }),
    ]);
    return null;
  },
});

function rejectUnfit(note: string): void {
  if (note.trim() === "") throw refusal("content is empty, so nothing was filed. Call again with the note in it.");
  if (note.length <= longestPassage) return;
  throw refusal(
    `The note has ${countCharacters(note)} characters; a note may have ${longestPassage}. Nothing was filed. Cut it by ` +
      "subject and file each part as a note of its own.",
  );
}
