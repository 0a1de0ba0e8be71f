import { countCharacters, refusal } from "../../memory/block-rules.ts";
import { getAgent } from "../../store/agents.ts";
import { ensureAgentArchive } from "../../store/archives.ts";
import { insertPassages, newPassage } from "../../store/passages.ts";
import type { RunBuiltin } from "../tool.ts";
import { findTexts, readText } from "./call-arguments.ts";

/** What PostgreSQL can index as one text, with room to spare; a note this long is found by everything anyway. */
const longestNote = 100_000;

export const runArchivalMemoryInsert: RunBuiltin = async (scope, args, { agentId, cause }) => {
  const text = readText(args, "content", "Write the note there.");
  if (text.trim() === "") throw refusal("content is empty, so nothing was filed. Call again with the note in it.");
  if (text.length > longestNote) {
    throw refusal(
      `The note has ${countCharacters(text)} characters; a note may have ${longestNote}. Nothing was filed. Cut it by ` +
        "subject and file each part as a note of its own.",
    );
  }
  const tags = findTexts(args, "tags")?.map((tag) => tag.trim());
  const archive = await ensureAgentArchive(scope, await getAgent(scope, agentId), cause.userId);
  await insertPassages(scope, [
    newPassage(scope, {
      archiveId: archive.id,
      text,
      tags: tags?.filter((tag) => tag !== "") ?? null,
      createdBy: cause.userId,
    }),
  ]);
  return null;
};
