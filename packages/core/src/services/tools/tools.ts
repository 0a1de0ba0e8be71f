/** What callers can do with tools. Which agents hold them is in agent-tools.ts. */
import { fuseRanks } from "../../memory/rank-fusion.ts";
import { searchWords } from "../../memory/search-words.ts";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import type { JsonObject } from "../../shared/json.ts";
import { omitUndefined } from "../../shared/omit-undefined.ts";
import { deleteSecrets } from "../../store/access/secrets.ts";
import { StaleWriteError } from "../../store/engine/entity.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import {
  countTools,
  deleteTool,
  findToolsByName,
  getTool,
  getTools,
  insertMissingTools,
  listTools,
  listToolTexts,
  lockTool,
  type Tool,
  type ToolFilter,
  updateTool,
} from "../../store/tools/tools.ts";
import { rankTools } from "../../tools/rank-tools.ts";
import { createThreadedReader } from "../../tools/source/threaded-reader.ts";
import { rejectOddPlace, type ToolSandboxes } from "../sandboxes/tool-sandboxes.ts";
import { type BaseTools, isOwnKind, restoreBaseTools } from "./base-tools.ts";
import type { CustomTools, ToolCallResult } from "./custom-tools.ts";
import { renameRules } from "./rename-rules.ts";
import { runSource, type SourceCall } from "./run-source.ts";
import {
  customToolKind,
  type NewTool,
  readSchema,
  refuse,
  rejectHosted,
  rejectTakenName,
  type ToolFields,
  toFields,
} from "./tool-rows.ts";
import { changeOwnTool, changeTool, type ToolUpdate } from "./tool-update.ts";

export interface ToolSearch extends Pick<ToolFilter, "kinds" | "projectId"> {
  /** Without, the newest come first. */
  readonly query?: string;
  /** Any of them. */
  readonly tags?: readonly string[];
  readonly limit: number;
}

export interface ToolHit {
  readonly tool: Tool;
  /** From 1; null where nothing was asked for. */
  readonly wordRank: number | null;
  readonly score: number;
}

export interface ToolService {
  /** Makes the tool, or brings the one of this name to what is given. */
  save(actor: Actor, tool: NewTool): Promise<Tool>;
  get(actor: Actor, id: string): Promise<Tool>;
  list(actor: Actor, filter: ToolFilter, page: PageRequest): Promise<Tool[]>;
  count(actor: Actor, filter?: ToolFilter): Promise<number>;
  search(actor: Actor, search: ToolSearch): Promise<ToolHit[]>;
  update(actor: Actor, id: string, update: ToolUpdate): Promise<Tool>;
  /** Agents that hold it lose it. One that comes with the program is back with the next list. */
  delete(actor: Actor, id: string): Promise<void>;
  /** Puts back what is missing of the tools that come with the program, and answers all of them. */
  restoreBase(actor: Actor): Promise<Tool[]>;
  /** What models would be told of a tool with this source. Nothing is stored. */
  describe(actor: Actor, tool: Pick<NewTool, "source" | "sourceKind">): Promise<JsonObject>;
  /** Runs a source in the sandbox without storing it. What the function does, failing included, is the result. */
  run(actor: Actor, call: SourceCall): Promise<ToolCallResult>;
}

export interface ToolParts {
  readonly customTools: CustomTools;
  readonly sandboxes: ToolSandboxes;
  readonly baseTools: BaseTools;
}

export function createToolService(runtime: Runtime, { customTools, sandboxes, baseTools }: ToolParts): ToolService {
  return {
    save: async (actor, input) => {
      rejectOddPlace(input);
      const fields = await toFields(input, actor.orgId);
      const tool = await write(runtime, actor, (scope) => saveTool(scope, actor, fields));
      sandboxes.prepare(actor.orgId, tool);
      return tool;
    },
    get: (actor, id) => getTool(readScope(runtime, actor), id),
    list: async (actor, filter, page) => {
      await baseTools.ensure(actor);
      return await listTools(readScope(runtime, actor), filter, page);
    },
    count: (actor, filter) => countTools(readScope(runtime, actor), filter ?? {}),
    search: (actor, search) => searchTools(readScope(runtime, actor), search),
    update: async (actor, id, input) => {
      const update = omitUndefined(input);
      rejectOddPlace(update);
      const reader = createThreadedReader();
      const updated = await write(runtime, actor, async (scope) => {
        const tool = await lockTool(scope, id);
        const next = isOwnKind(tool.kind) ? changeOwnTool(tool, update) : changeTool(tool, update, reader);
        const changed = { ...next, updatedBy: actor.userId };
        if (next.name !== tool.name) await rejectRename(scope, next.name);
        await updateTool(scope, id, changed);
        if (next.name !== tool.name) await renameRules(scope, id, tool.name, next.name);
        return changed;
      });
      sandboxes.prepare(actor.orgId, updated);
      return updated;
    },
    delete: (actor, id) =>
      write(runtime, actor, async (scope) => {
        rejectHosted(await getTool(scope, id));
        await deleteSecrets(scope, id);
        await deleteTool(scope, id);
      }),
    restoreBase: (actor) => write(runtime, actor, (scope) => restoreBaseTools(scope, actor.userId)),
    describe: (actor, tool) => readSchema(tool, actor.orgId),
    run: (actor, call) => runSource(customTools, actor, call),
  };
}

async function saveTool(scope: Scope, actor: Actor, fields: ToolFields): Promise<Tool> {
  const [match] = await findToolsByName(scope, [fields.name]);
  rejectTakenName(fields.name, match);
  if (match) {
    const stored = await lockTool(scope, match.id);
    // Tags that were not sent stay.
    const tags = fields.tags.length > 0 ? fields.tags : stored.tags;
    // What was said of where and how it runs cannot be sent along, so it stays too.
    const metadata = { ...stored.metadata, ...fields.metadata };
    const tool: Tool = { ...stored, ...fields, tags, metadata, updatedBy: actor.userId };
    await updateTool(scope, tool.id, tool);
    return tool;
  }
  const at = scope.now();
  const author = { createdAt: at, updatedAt: at, createdBy: actor.userId, updatedBy: actor.userId };
  const tool: Tool = { id: scope.newId("tool"), kind: customToolKind, ...fields, ...author };
  await insertMissingTools(scope, [tool]);
  const [winner] = await findToolsByName(scope, [tool.name]);
  // Someone else made it since it was looked for: the transaction is run again, and finds it.
  if (winner?.id !== tool.id) throw new StaleWriteError("tool", tool.name);
  return tool;
}

async function rejectRename(scope: Scope, name: string): Promise<void> {
  const [holder] = await findToolsByName(scope, [name]);
  rejectTakenName(name, holder);
  if (holder) throw refuse("name", `the name "${name}" is taken by tool "${holder.id}": choose another one`);
}

async function searchTools(scope: Scope, { query, tags = [], limit, ...filter }: ToolSearch): Promise<ToolHit[]> {
  const texts = (await listToolTexts(scope, filter)).filter(
    (tool) => tags.length === 0 || tool.tags.some((tag) => tags.includes(tag)),
  );
  const words = query === undefined || query.trim() === "" ? undefined : searchWords(query);
  const found = (words ? rankTools(texts, words) : texts).slice(0, limit);
  const tools = await getTools(
    scope,
    found.map(({ id }) => id),
  );
  return tools.map((tool, index) => {
    const wordRank = words ? index + 1 : null;
    return { tool, wordRank, score: fuseRanks({ byWords: wordRank, byMeaning: null }) };
  });
}
