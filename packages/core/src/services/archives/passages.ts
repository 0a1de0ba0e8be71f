/** What callers can do with the passages of archives: file, list, find and remove them. */

import { checkAgentPassage, checkPassage } from "../../memory/passage-rules.ts";
import { fuseRanks } from "../../memory/rank-fusion.ts";
import { searchWords } from "../../memory/search-words.ts";
import { formatExactTimestamp, readSpan } from "../../memory/timestamps.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { MemoirError, notFound } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { getAgent } from "../../store/agents/agents.ts";
import { ensureAgentArchive, findAgentArchive, getArchive } from "../../store/archives/archives.ts";
import {
  deletePassage,
  findPassage,
  insertPassages,
  listPassages,
  newPassage,
  type Passage,
  sumVectorBytes,
} from "../../store/archives/passages.ts";
import { searchPassages } from "../../store/conversations/search.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";

export interface NewPassage {
  readonly text: string;
  readonly tags?: readonly string[] | null;
  readonly metadata?: JsonObject;
  /** When it was true; now, unless given. */
  readonly createdAt?: number;
}

export interface PassageQuery {
  readonly query: string;
  /** Empty: any passage. */
  readonly tags?: readonly string[];
  readonly matchAllTags?: boolean;
  readonly limit: number;
  /** Dates and times as text; without an offset they are read in the agent's zone. Both ends belong to the span. */
  readonly start?: DateArgument;
  readonly end?: DateArgument;
}

export interface DateArgument {
  /** As the caller spelled the field. */
  readonly name: string;
  readonly text: string;
}

export interface PassageSearchRequest extends Omit<PassageQuery, "query"> {
  /** Without, the oldest come first. */
  readonly query?: string;
  /** The archive of this agent. It wins over the archive; without either, all archives are searched. */
  readonly agentId?: string;
  readonly archiveId?: string;
}

export interface PassageHit {
  readonly passage: Passage;
  /** In ISO 8601, in the zone of the agent. */
  readonly timestamp: string;
  /** From 1; null where nothing was asked for. */
  readonly wordRank: number | null;
  readonly score: number;
}

export interface PassageService {
  /** All of them or none. */
  createInArchive(actor: Actor, archiveId: string, passages: readonly NewPassage[]): Promise<Passage[]>;
  deleteFromArchive(actor: Actor, archiveId: string, id: string): Promise<void>;
  /** The agent's archive is made on first use. */
  createForAgent(actor: Actor, agentId: string, passage: NewPassage): Promise<Passage>;
  listOfAgent(actor: Actor, agentId: string, page: PageRequest, search?: string): Promise<Passage[]>;
  deleteOfAgent(actor: Actor, agentId: string, id: string): Promise<void>;
  searchOfAgent(actor: Actor, agentId: string, query: PassageQuery): Promise<PassageHit[]>;
  search(actor: Actor, request: PassageSearchRequest): Promise<PassageHit[]>;
  /** How much all vectors of passages take. */
  sumVectorBytes(actor: Actor): Promise<number>;
}

export function createPassageService(runtime: Runtime): PassageService {
  return {
    createInArchive: async (actor, archiveId, input) => {
      for (const { text } of input) checkPassage(text);
      return await write(runtime, actor, async (scope) => {
        await getArchive(scope, archiveId);
        return await addPassages(scope, actor, archiveId, input);
      });
    },
    deleteFromArchive: (actor, archiveId, id) =>
      write(runtime, actor, async (scope) => {
        await getArchive(scope, archiveId);
        const passage = await findPassage(scope, id);
        if (!passage) throw notFound("passage", id);
        if (passage.archiveId !== archiveId) {
          throw new MemoirError("invalid-argument", `passage "${id}" is not in archive "${archiveId}"`, {
            details: { field: "passage_id" },
          });
        }
        await deletePassage(scope, id);
      }),
    createForAgent: async (actor, agentId, input) => {
      await checkAgentPassage(input.text);
      return await write(runtime, actor, async (scope) => {
        const archive = await ensureAgentArchive(scope, await getAgent(scope, agentId), actor.userId);
        const [passage] = await addPassages(scope, actor, archive.id, [input]);
        if (!passage) throw new Error("a passage was inserted and not returned");
        return passage;
      });
    },
    listOfAgent: async (actor, agentId, page, search) => {
      const scope = readScope(runtime, actor);
      await getAgent(scope, agentId);
      const archive = await findAgentArchive(scope, agentId);
      return archive ? await listPassages(scope, archive.id, search, page) : [];
    },
    deleteOfAgent: (actor, agentId, id) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, agentId);
        const archive = await findAgentArchive(scope, agentId);
        const passage = archive && (await findPassage(scope, id));
        if (!passage || passage.archiveId !== archive.id) throw notFound("passage", id);
        await deletePassage(scope, id);
      }),
    searchOfAgent: (actor, agentId, query) => search(readScope(runtime, actor), { ...query, agentId }),
    search: (actor, request) => search(readScope(runtime, actor), request),
    sumVectorBytes: (actor) => sumVectorBytes(readScope(runtime, actor)),
  };
}

async function addPassages(
  scope: Scope,
  actor: Actor,
  archiveId: string,
  input: readonly NewPassage[],
): Promise<Passage[]> {
  const passages = input.map(({ text, tags = null, metadata, createdAt }) =>
    newPassage(scope, { archiveId, text, tags, metadata, createdAt, createdBy: actor.userId }),
  );
  await insertPassages(scope, passages);
  return passages;
}

const noDate = { name: "", text: undefined };

async function search(scope: Scope, request: PassageSearchRequest): Promise<PassageHit[]> {
  const { query, tags = [], matchAllTags = false, limit } = request;
  const place = await findPlace(scope, request);
  const span = readSpan(request.start ?? noDate, request.end ?? noDate, place.timezone);
  if (!place.exists) return [];
  const words = query === undefined ? undefined : searchWords(query);
  const { ownerId } = place;
  const passages = await searchPassages(scope, { ownerId, words, tags, matchAllTags, ...span, limit });
  return passages.map((passage, index) => {
    const wordRank = words ? index + 1 : null;
    const timestamp = formatExactTimestamp(passage.createdAt, place.timezone);
    return { passage, timestamp, wordRank, score: fuseRanks({ byWords: wordRank, byMeaning: null }) };
  });
}

interface Place {
  readonly ownerId: string | undefined;
  readonly timezone: string;
  /** False for an agent that has filed nothing yet. */
  readonly exists: boolean;
}

async function findPlace(scope: Scope, { agentId, archiveId }: PassageSearchRequest): Promise<Place> {
  if (agentId !== undefined) {
    const { timezone } = await getAgent(scope, agentId);
    const archive = await findAgentArchive(scope, agentId);
    return { ownerId: archive?.id, timezone, exists: archive !== undefined };
  }
  if (archiveId !== undefined) await getArchive(scope, archiveId);
  return { ownerId: archiveId, timezone: "UTC", exists: true };
}
