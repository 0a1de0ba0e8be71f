/**
 * Where a tool with a source runs, and with which packages: as the tool says, else its organization, else the server. What
 * is named and not there is refused with the reason; nothing is run elsewhere instead.
 */
import type { Runtime } from "../../runtime.ts";
import {
  absent,
  type EnvironmentRequest,
  type Environments,
  type EnvironmentView,
} from "../../sandbox/packages/environments.ts";
import { type Requirements, readRequirements } from "../../sandbox/packages/requirements.ts";
import type { Sandbox, SandboxLanguage } from "../../sandbox/sandbox.ts";
import { readSandboxName, type Sandboxes } from "../../sandbox/sandboxes.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import { findSandboxConfig, type SandboxConfig } from "../../store/tools/sandbox-configs.ts";
import { listToolsWithRequirements, type Tool } from "../../store/tools/tools.ts";

export type PlacedTool = Pick<Tool, "name" | "sourceKind" | "metadata"> &
  Partial<Pick<Tool, "pipRequirements" | "npmRequirements">>;

export interface ToolPlace {
  readonly sandbox: Sandbox;
  /** The organization's settings of it. */
  readonly config: SandboxConfig | undefined;
  readonly requirements: Requirements;
}

export interface ToolSandboxes {
  /** Throws where the sandbox is not available. */
  find(orgId: string, tool: PlacedTool): Promise<ToolPlace>;
  /** The folder with what the tool requires, if anything. Throws a ToolFailure while it is not there. */
  obtainPackages(orgId: string, tool: PlacedTool, place: ToolPlace): Promise<string | undefined>;
  /** How far its packages are; undefined if it requires none. `isBuilt` begins to install them, again if that failed. */
  view(orgId: string, tool: PlacedTool, isBuilt: boolean): Promise<PlacedView>;
  /** Begins to install what a tool requires; whether that can be done is seen by its calls. */
  prepare(orgId: string, tool: PlacedTool): void;
  /** The same for all tools of an organization, after its settings have changed. */
  prepareAll(orgId: string): void;
}

export interface PlacedView {
  readonly sandbox: string;
  readonly packages: readonly string[];
  readonly environment: EnvironmentView | undefined;
}

export function createToolSandboxes(runtime: Runtime, sandboxes: Sandboxes, environments: Environments): ToolSandboxes {
  const choose = async (orgId: string, tool: PlacedTool): Promise<ToolPlace> => {
    const scope = runtime.store.read(orgId);
    const local = await findSandboxConfig(scope, "local");
    const name =
      readSandboxName(tool.metadata?.sandbox, `tool "${tool.name}"`) ??
      readSandboxName(local?.settings.sandbox, "the organization's sandbox config") ??
      sandboxes.defaultSandbox;
    const config = name === "e2b" ? await findSandboxConfig(scope, "e2b") : local;
    const requirements = gatherRequirements(tool, config?.settings);
    return { sandbox: sandboxes.get(name, config?.settings), config, requirements };
  };
  const want = (orgId: string, { sandbox, requirements }: ToolPlace): EnvironmentRequest | undefined => {
    if (requirements.packages.length === 0) return undefined;
    if (sandbox.installer) return { orgId, requirements, installer: sandbox.installer };
    throw new MemoirError(
      "forbidden",
      `the sandbox ${sandbox.kind} has no way to install ${requirements.packages.join(", ")}`,
    );
  };
  const view: ToolSandboxes["view"] = async (orgId, tool, isBuilt) => {
    const place = await choose(orgId, tool);
    const { packages } = place.requirements;
    const look = async (): Promise<EnvironmentView | undefined> => {
      const wanted = want(orgId, place);
      return wanted && (isBuilt ? await environments.begin(wanted, true) : await environments.view(wanted));
    };
    const environment = await look().catch((error: unknown) => {
      // A sandbox that is not there cannot say what is installed for it.
      if (isMemoirError(error)) return { ...absent, packages, status: "failed" as const, error: error.message };
      throw error;
    });
    return { sandbox: place.sandbox.kind, packages, environment };
  };
  const prepare = async (orgId: string, tool: PlacedTool) => {
    const wanted = want(orgId, await choose(orgId, tool));
    if (wanted) await environments.begin(wanted, true);
  };
  const note = (error: unknown) => {
    const fields = { error: error instanceof Error ? error.message : String(error) };
    if (isMemoirError(error)) runtime.log.info(fields, "packages of a tool are not being installed");
    else runtime.log.error(fields, "packages of a tool could not be looked for");
  };
  return {
    view,
    async find(orgId, tool) {
      const place = await choose(orgId, tool);
      const fault = await place.sandbox.findFault();
      if (fault === undefined) return place;
      throw new MemoirError("forbidden", fault);
    },
    async obtainPackages(orgId, tool, place) {
      const wanted = want(orgId, place);
      return wanted && getFolder(tool, await environments.obtain(wanted));
    },
    prepare: (orgId, tool) => {
      void prepare(orgId, tool).catch(note);
    },
    prepareAll: (orgId) => {
      const prepareEach = async () => {
        const bare: PlacedTool = { name: "", sourceKind: "python", metadata: null };
        const tools = await listToolsWithRequirements(runtime.store.read(orgId));
        for (const tool of [bare, ...tools]) await prepare(orgId, tool).catch(note);
      };
      void prepareEach().catch(note);
    },
  };
}

/** `json` is what tools are marked with whose maker did not say; they are Python. */
export function languageOf({ sourceKind }: Pick<Tool, "sourceKind">): SandboxLanguage {
  return sourceKind === "typescript" ? "typescript" : "python";
}

/** What callers say of packages and places has to make sense before it is stored. */
export function rejectOddPlace({ pipRequirements, npmRequirements, metadata }: Partial<PlacedTool>): void {
  readRequirements("python", pipRequirements ?? []);
  readRequirements("typescript", npmRequirements ?? []);
  readSandboxName(metadata?.sandbox, "metadata_");
}

/** Throws where something is not the name of a package. */
export function gatherRequirements(tool: PlacedTool, settings: JsonObject = {}): Requirements {
  const language = languageOf(tool);
  const isPython = language === "python";
  const own = (isPython ? tool.pipRequirements : tool.npmRequirements) ?? [];
  const shared = settings[isPython ? "pip_requirements" : "npm_requirements"];
  return readRequirements(language, [...(Array.isArray(shared) ? (shared as JsonValue[]) : []), ...own]);
}

function getFolder({ name }: PlacedTool, view: EnvironmentView): string {
  if (view.folder !== null) return view.folder;
  const reason = view.error ?? `${view.packages.join(", ")} are still being installed; call it again in a minute.`;
  throw new ToolFailure(`Error executing function ${name}: ${reason}`, { stdout: [], stderr: [...view.lines] });
}
