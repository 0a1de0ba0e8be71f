/** What callers can do with tags. */
import type { Actor } from "../actor.ts";
import { type Runtime, readScope } from "../runtime.ts";
import type { PageRequest } from "../store/paging.ts";
import { listTags } from "../store/tags.ts";

export interface TagService {
  /** Every tag on an agent or block, once. `search` is part of the tag, in any case. */
  list(actor: Actor, search: string | undefined, page: PageRequest): Promise<string[]>;
}

export function createTagService(runtime: Runtime): TagService {
  return { list: (actor, search, page) => listTags(readScope(runtime, actor), search, page) };
}
