/** What callers can see of the packages that their tools require, and the way to install them once more. */
import { type Runtime, readScope } from "../../runtime.ts";
import type { EnvironmentView } from "../../sandbox/packages/environments.ts";
import type { Actor } from "../../shared/actor.ts";
import { getTool, listToolsWithRequirements, type Tool } from "../../store/tools/tools.ts";
import type { PlacedView, ToolSandboxes } from "./tool-sandboxes.ts";

/** Sets are shared by all tools that require the same; where they are kept is nobody's business. */
export interface ToolEnvironment extends Omit<EnvironmentView, "folder" | "status"> {
  readonly toolId: string;
  readonly sandbox: string;
  /** `none` where nothing is required. */
  readonly status: EnvironmentView["status"] | "none";
}

export interface ToolEnvironmentService {
  /** Starts nothing. */
  get(actor: Actor, toolId: string): Promise<ToolEnvironment>;
  /** Begins to install what is not there, also if that failed before. */
  build(actor: Actor, toolId: string): Promise<ToolEnvironment>;
  /** One for each tool that requires something itself. */
  list(actor: Actor): Promise<ToolEnvironment[]>;
  /** Begins to install what the organization's tools require and is not there. */
  buildAll(actor: Actor): void;
}

export function createToolEnvironmentService(runtime: Runtime, sandboxes: ToolSandboxes): ToolEnvironmentService {
  const show = async (actor: Actor, tool: Tool, isBuilt: boolean) =>
    describe(tool.id, await sandboxes.view(actor.orgId, tool, isBuilt));
  return {
    get: async (actor, toolId) => await show(actor, await getTool(readScope(runtime, actor), toolId), false),
    build: async (actor, toolId) => await show(actor, await getTool(readScope(runtime, actor), toolId), true),
    async list(actor) {
      const tools = await listToolsWithRequirements(readScope(runtime, actor));
      return await Promise.all(tools.map((tool) => show(actor, tool, false)));
    },
    buildAll: (actor) => sandboxes.prepareAll(actor.orgId),
  };
}

function describe(toolId: string, { sandbox, packages, environment }: PlacedView): ToolEnvironment {
  return {
    toolId,
    sandbox,
    packages,
    status: environment?.status ?? "none",
    progress: environment?.progress ?? null,
    error: environment?.error ?? null,
    lines: environment?.lines ?? [],
    bytes: environment?.bytes ?? null,
    startedAt: environment?.startedAt ?? null,
    finishedAt: environment?.finishedAt ?? null,
  };
}
