import { refusal } from "../../memory/block-rules.ts";
import { searchWords } from "../../memory/search-words.ts";
import { formatTimestamp, readSpan } from "../../memory/timestamps.ts";
import type { JsonObject } from "../../shared/json.ts";
import { findAgentArchive } from "../../store/archives/archives.ts";
import { searchPassages } from "../../store/conversations/search.ts";
import type { RunBuiltin } from "../tool.ts";
import { findText, findTexts, readLimit, readText } from "./call-arguments.ts";

export const runArchivalMemorySearch: RunBuiltin = async (scope, args, { agentId, timezone }) => {
  const words = searchWords(readText(args, "query", "Say there what the note is about."));
  const tags = (findTexts(args, "tags") ?? []).map((tag) => tag.trim()).filter((tag) => tag !== "");
  const matchAllTags = readMatchMode(args) === "all";
  const limit = readLimit(args, "top_k");
  const span = readSpan(
    { name: "start_datetime", text: findText(args, "start_datetime") },
    { name: "end_datetime", text: findText(args, "end_datetime") },
    timezone,
  );
  const archive = words.length === 0 ? undefined : await findAgentArchive(scope, agentId);
  if (!archive) return [];
  const passages = await searchPassages(scope, { ownerId: archive.id, words, tags, matchAllTags, ...span, limit });
  return passages.map((passage, index) => ({
    id: passage.id,
    timestamp: formatTimestamp(passage.createdAt, timezone),
    content: passage.text,
    tags: passage.tags ?? [],
    relevance: { fts_rank: index + 1 },
  }));
};

function readMatchMode(args: JsonObject): "any" | "all" {
  const mode = findText(args, "tag_match_mode") ?? "any";
  if (mode === "any" || mode === "all") return mode;
  throw refusal(`tag_match_mode is "${mode.slice(0, 100)}"; it must be "any" or "all". Leave it out for "any".`);
}
