/** What callers can do with tags. */
import { type Runtime, readScope } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { listTags } from "../../store/agents/tags.ts";
import type { PageRequest } from "../../store/engine/paging.ts";

export interface TagService {
  /** Every tag on an agent or block, once. `search` is part of the tag, in any case. */
  list(actor: Actor, search: string | undefined, page: PageRequest): Promise<string[]>;
}

export function createTagService(runtime: Runtime): TagService {
  return { list: (actor, search, page) => listTags(readScope(runtime, actor), search, page) };
}
