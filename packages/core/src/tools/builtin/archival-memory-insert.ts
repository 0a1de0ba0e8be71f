import { countCharacters, refusal } from "../../memory/block-rules.ts";
import { longestPassage } from "../../memory/passage-rules.ts";
import { getAgent } from "../../store/agents/agents.ts";
import { ensureAgentArchive } from "../../store/archives/archives.ts";
import { insertPassages, newPassage } from "../../store/archives/passages.ts";
import type { RunBuiltin } from "../tool.ts";
import { findTexts, readText } from "./call-arguments.ts";

export const runArchivalMemoryInsert: RunBuiltin = async (scope, args, { agentId, cause }) => {
  const text = readText(args, "content", "Write the note there.");
  if (text.trim() === "") throw refusal("content is empty, so nothing was filed. Call again with the note in it.");
  if (text.length > longestPassage) {
    throw refusal(
      `The note has ${countCharacters(text)} characters; a note may have ${longestPassage}. Nothing was filed. Cut it by ` +
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
