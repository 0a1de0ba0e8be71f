/** Keeps every organization's rows for the tools that come with Memoir in step with the program. */
import { createHash } from "node:crypto";
import type { Runtime } from "../runtime.ts";
import type { Scope } from "../store/scope.ts";
import { listOrgsWithOtherTools, markBaseTools } from "../store/system.ts";
import { findToolsByName, insertMissingTools, type Tool, updateTool } from "../store/tools.ts";
import { type BuiltinTool, builtinTools } from "../tools/builtin/catalogue.ts";

const returnCharLimit = 50_000;
const builtinKinds: ReadonlySet<string> = new Set(builtinTools.map(({ kind }) => kind));

export async function seedBaseTools(runtime: Runtime): Promise<void> {
  const key = createHash("sha256").update(JSON.stringify(builtinTools)).digest("hex");
  for (const orgId of await listOrgsWithOtherTools(runtime.store, key)) {
    await runtime.store.write(orgId, seedOrganization);
    await markBaseTools(runtime.store, orgId, key);
  }
}

async function seedOrganization(scope: Scope): Promise<void> {
  const stored = new Map(
    (
      await findToolsByName(
        scope,
        builtinTools.map(({ name }) => name),
      )
    ).map((tool) => [tool.name, tool]),
  );
  const fresh: Tool[] = [];
  for (const builtin of builtinTools) {
    const tool = stored.get(builtin.name);
    if (!tool) fresh.push(newTool(scope, builtin));
    // A user's own tool keeps its name; ours is then not offered.
    else if (builtinKinds.has(tool.kind))
      await updateTool(scope, tool.id, { ...described(builtin), updatedAt: scope.now() });
  }
  await insertMissingTools(scope, fresh);
}

function newTool(scope: Scope, builtin: BuiltinTool): Tool {
  const at = scope.now();
  return {
    id: scope.newId("tool"),
    name: builtin.name,
    sourceKind: "python",
    source: null,
    argsSchema: null,
    returnCharLimit,
    pipRequirements: null,
    npmRequirements: null,
    needsApproval: null,
    metadata: {},
    projectId: null,
    createdAt: at,
    updatedAt: at,
    createdBy: null,
    updatedBy: null,
    ...described(builtin),
  };
}

function described(builtin: BuiltinTool): Pick<Tool, "kind" | "description" | "jsonSchema" | "tags" | "isParallel"> {
  const { name, kind, description, parameters, isParallel } = builtin;
  const jsonSchema = JSON.parse(JSON.stringify({ name, description, parameters }));
  return { kind, description, jsonSchema, tags: [], isParallel };
}
