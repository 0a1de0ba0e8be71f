/** Keeps every organization's rows for the tools that come with the program in step with it. */
import { createHash } from "node:crypto";
import type { Runtime } from "../runtime.ts";
import type { Scope } from "../store/scope.ts";
import { listOrgsWithOtherTools, markBaseTools } from "../store/system.ts";
import { findToolsByName, insertMissingTools, type Tool, updateTool, usualReturnChars } from "../store/tools.ts";
import { builtinTools } from "../tools/builtin/catalogue.ts";
import { type HostTool, hostToolKind } from "../tools/executors/host.ts";

/** What a row says of a tool. */
type Described = Pick<Tool, "name" | "kind" | "description" | "jsonSchema" | "tags" | "isParallel">;

const ownKinds: ReadonlySet<string> = new Set([...builtinTools.map(({ kind }) => kind), hostToolKind]);

/** Made by the program and not by a user. */
export function isOwnKind(kind: string): boolean {
  return ownKinds.has(kind);
}

export async function seedBaseTools(runtime: Runtime, hostTools: readonly HostTool[]): Promise<void> {
  const tools = [...builtinTools.map(describe), ...hostTools.map((tool) => describe({ ...tool, kind: hostToolKind }))];
  const key = createHash("sha256").update(JSON.stringify(tools)).digest("hex");
  for (const orgId of await listOrgsWithOtherTools(runtime.store, key)) {
    await runtime.store.write(orgId, (scope) => seedOrganization(scope, tools));
    await markBaseTools(runtime.store, orgId, key);
  }
}

/** Puts back what is missing of the builtin tools and answers all of them. */
export async function restoreBaseTools(scope: Scope): Promise<Tool[]> {
  await seedOrganization(scope, builtinTools.map(describe));
  const found = await findToolsByName(
    scope,
    builtinTools.map(({ name }) => name),
  );
  return found.filter(({ kind }) => ownKinds.has(kind));
}

async function seedOrganization(scope: Scope, tools: readonly Described[]): Promise<void> {
  const names = tools.map(({ name }) => name);
  const stored = new Map((await findToolsByName(scope, names)).map((tool) => [tool.name, tool]));
  const fresh: Tool[] = [];
  for (const described of tools) {
    const tool = stored.get(described.name);
    if (!tool) fresh.push(newTool(scope, described));
    // A user's own tool keeps its name; ours is then not offered.
    else if (ownKinds.has(tool.kind)) await updateTool(scope, tool.id, { ...described, updatedAt: scope.now() });
  }
  await insertMissingTools(scope, fresh);
}

function newTool(scope: Scope, described: Described): Tool {
  const at = scope.now();
  return {
    id: scope.newId("tool"),
    sourceKind: "python",
    source: null,
    argsSchema: null,
    returnCharLimit: usualReturnChars,
    pipRequirements: null,
    npmRequirements: null,
    needsApproval: null,
    metadata: {},
    projectId: null,
    createdAt: at,
    updatedAt: at,
    createdBy: null,
    updatedBy: null,
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
