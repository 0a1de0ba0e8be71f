/** What callers can do with the files an agent has at hand. */
import { openFile } from "../../memory/open-files.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { getAgent, lockAgent } from "../../store/agents/agents.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import { closeLinks, getFileLink, listFileLinks, listOpenFiles, type NamedLink } from "../../store/files/file-links.ts";

export interface OpenFilePage {
  readonly files: readonly NamedLink[];
  readonly hasMore: boolean;
}

export interface OpenFileService {
  list(actor: Actor, agentId: string, filter: { readonly isOpen?: boolean }, page: PageRequest): Promise<OpenFilePage>;
  /** Names of the files that were closed to make room. */
  open(actor: Actor, agentId: string, fileId: string): Promise<string[]>;
  close(actor: Actor, agentId: string, fileId: string): Promise<void>;
  /** Names of the files that were open. */
  closeAll(actor: Actor, agentId: string): Promise<string[]>;
}

export function createOpenFileService(runtime: Runtime): OpenFileService {
  return {
    list: async (actor, agentId, filter, page) => {
      const scope = readScope(runtime, actor);
      await getAgent(scope, agentId);
      const files = await listFileLinks(scope, agentId, { ...page, limit: page.limit + 1 }, filter);
      return { files: files.slice(0, page.limit), hasMore: files.length > page.limit };
    },
    open: (actor, agentId, fileId) =>
      write(runtime, actor, async (scope) => await openFile(scope, await lockAgent(scope, agentId), fileId)),
    close: (actor, agentId, fileId) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, agentId);
        await closeLinks(scope, [(await getFileLink(scope, agentId, fileId)).id]);
      }),
    closeAll: (actor, agentId) =>
      write(runtime, actor, async (scope) => {
        await getAgent(scope, agentId);
        const open = await listOpenFiles(scope, agentId);
        await closeLinks(
          scope,
          open.map(({ id }) => id),
        );
        return open.map(({ name }) => name);
      }),
  };
}
