/** Keeps every organization's rows for the tools that come with the program in step with it. */
import { createHash } from "node:crypto";
import { type Runtime, readScope, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { defaultOrgId, defaultUserId } from "../../shared/ids.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { findFirstUserId, listOrgsWithOtherTools, markBaseTools } from "../../store/system.ts";
import {
  countTools,
  defaultReturnChars,
  findToolsByName,
  insertMissingTools,
  type Tool,
  updateTool,
} from "../../store/tools/tools.ts";
import { builtinTools } from "../../tools/builtin/list.ts";
import { type HostTool, hostToolKind } from "../../tools/executors/host.ts";

/** What a row says of a tool. */
type Described = Pick<Tool, "name" | "kind" | "description" | "jsonSchema" | "tags" | "isParallel">;

const ownKinds: ReadonlySet<string> = new Set([...builtinTools.map(({ kind }) => kind), hostToolKind]);

/** Made by the program and not by a user. */
export function isOwnKind(kind: string): boolean {
  return ownKinds.has(kind);
}

export interface BaseTools {
  /** Gives every organization the rows it lacks. */
  seed(): Promise<void>;
  /** Puts back what was deleted in the actor's organization. */
  ensure(actor: Actor): Promise<void>;
}

export function createBaseTools(runtime: Runtime, hostTools: readonly HostTool[]): BaseTools {
  const { store } = runtime;
  const tools = [...builtinTools.map(describe), ...hostTools.map((tool) => describe({ ...tool, kind: hostToolKind }))];
  const key = createHash("sha256")
    .update(JSON.stringify({ tools, hasAuthors: true }))
    .digest("hex");
  const names = [...new Set(tools.map(({ name }) => name))];
  return {
    seed: async () => {
      for (const orgId of await listOrgsWithOtherTools(store, key, names)) {
        const author = orgId === defaultOrgId ? defaultUserId : await findFirstUserId(store, orgId);
        await store.write(orgId, (scope) => seedOrganization(scope, tools, author ?? null));
        // An organization without users is seeded again when it gets its first one, who is then the author.
        if (author !== undefined) await markBaseTools(store, orgId, key);
      }
    },
    ensure: async (actor) => {
      if ((await countTools(readScope(runtime, actor), { names })) === names.length) return;
      await write(runtime, actor, (scope) => seedOrganization(scope, tools, actor.userId));
    },
  };
}

/** Puts back what is missing of the builtin tools and answers all of them. */
export async function restoreBaseTools(scope: Scope, author: string | null): Promise<Tool[]> {
  await seedOrganization(scope, builtinTools.map(describe), author);
  const found = await findToolsByName(
    scope,
    builtinTools.map(({ name }) => name),
  );
  return found.filter(({ kind }) => ownKinds.has(kind));
}

const builtinNames: ReadonlySet<string> = new Set(builtinTools.map(({ name }) => name));

/** Tools by name; a builtin one that was deleted is put back. */
export async function findOrRestoreTools(
  scope: Scope,
  names: readonly string[],
  author: string | null,
): Promise<Tool[]> {
  const found = await findToolsByName(scope, names);
  const known = new Set(found.map(({ name }) => name));
  if (!names.some((name) => builtinNames.has(name) && !known.has(name))) return found;
  await restoreBaseTools(scope, author);
  return await findToolsByName(scope, names);
}

async function seedOrganization(scope: Scope, tools: readonly Described[], author: string | null): Promise<void> {
  const names = tools.map(({ name }) => name);
  const stored = new Map((await findToolsByName(scope, names)).map((tool) => [tool.name, tool]));
  const fresh: Tool[] = [];
  for (const described of tools) {
    const tool = stored.get(described.name);
    if (!tool) fresh.push(newTool(scope, described, author));
    // A user's own tool keeps its name; ours is then not offered.
    else if (ownKinds.has(tool.kind)) {
      const createdBy = tool.createdBy ?? author;
      const updatedBy = tool.updatedBy ?? author;
      await updateTool(scope, tool.id, { ...described, createdBy, updatedBy, updatedAt: scope.now() });
    }
  }
  await insertMissingTools(scope, fresh);
}

function newTool(scope: Scope, described: Described, author: string | null): Tool {
  const at = scope.now();
  return {
    id: scope.newId("tool"),
    sourceKind: "python",
    source: null,
    argsSchema: null,
    returnCharLimit: defaultReturnChars,
    pipRequirements: null,
    npmRequirements: null,
    needsApproval: null,
    metadata: {},
    projectId: null,
    createdAt: at,
    updatedAt: at,
    createdBy: author,
    updatedBy: author,
    ...described,
  };
}

interface Describable {
  readonly name: string;
  readonly kind: string;
  readonly description: string;
  readonly parameters: object;
  readonly isParallel?: boolean;
}

function describe({ name, kind, description, parameters, isParallel = false }: Describable): Described {
  const jsonSchema = JSON.parse(JSON.stringify({ name, description, parameters }));
  return { name, kind, description, jsonSchema, tags: [], isParallel };
}
