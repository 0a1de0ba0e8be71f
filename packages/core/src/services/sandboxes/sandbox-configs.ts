/** What callers can do with the settings of sandboxes, and with the environment variables tools find there. */
import { type Runtime, readScope, write } from "../../runtime.ts";
import { readSandboxName } from "../../sandbox/sandboxes.ts";
import type { Actor } from "../../shared/actor.ts";
import { invalidInput, notFound } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import {
  deleteSecret,
  deleteSecrets,
  findSecret,
  listSecrets,
  putSecret,
  type StoredSecret,
} from "../../store/access/secrets.ts";
import type { PageRequest } from "../../store/engine/paging.ts";
import type { Scope } from "../../store/engine/scope.ts";
import {
  deleteSandboxConfig,
  findSandboxConfig,
  getSandboxConfig,
  insertSandboxConfig,
  listSandboxConfigs,
  type SandboxConfig,
  type SandboxKind,
  updateSandboxConfig,
} from "../../store/tools/sandbox-configs.ts";
import { secretPlace } from "../secrets/secret-scope.ts";
import { gatherRequirements } from "./tool-sandboxes.ts";

export interface SandboxVariable {
  readonly id: string;
  readonly configId: string;
  readonly name: string;
  readonly value: string;
  readonly description: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface VariableUpdate {
  readonly name?: string;
  readonly value?: string;
  readonly description?: string | null;
}

export interface SandboxConfigService {
  /** An organization has one for each kind: one that is there gets these settings. */
  put(actor: Actor, kind: SandboxKind, settings: JsonObject): Promise<SandboxConfig>;
  /** The one that is there, or a new one with these settings. */
  ensure(actor: Actor, kind: SandboxKind, settings: JsonObject): Promise<SandboxConfig>;
  get(actor: Actor, id: string): Promise<SandboxConfig>;
  list(actor: Actor, page: PageRequest): Promise<SandboxConfig[]>;
  /** Settings that are not given stay as they are. */
  update(actor: Actor, id: string, settings: JsonObject): Promise<SandboxConfig>;
  /** Its variables go with it. */
  delete(actor: Actor, id: string): Promise<void>;
  addVariable(
    actor: Actor,
    id: string,
    variable: Pick<SandboxVariable, "name" | "value" | "description">,
  ): Promise<SandboxVariable>;
  listVariables(actor: Actor, id: string): Promise<SandboxVariable[]>;
  updateVariable(actor: Actor, variableId: string, update: VariableUpdate): Promise<SandboxVariable>;
  deleteVariable(actor: Actor, variableId: string): Promise<void>;
}

/** `onChange` is told whose settings are others now. */
export function createSandboxConfigService(
  runtime: Runtime,
  onChange: (orgId: string) => void = () => {},
): SandboxConfigService {
  const read = (actor: Actor) => readScope(runtime, actor);
  const change = async (actor: Actor, work: (scope: Scope) => Promise<SandboxConfig>) => {
    const config = await write(runtime, actor, work);
    onChange(actor.orgId);
    return config;
  };
  return {
    put: (actor, kind, settings) =>
      change(actor, async (scope) => {
        checkSettings(settings);
        const { id } = await ensure(scope, actor, kind, settings);
        return await applySettings(scope, actor, id, settings);
      }),
    ensure: (actor, kind, settings) => write(runtime, actor, (scope) => ensure(scope, actor, kind, settings)),
    get: (actor, id) => getSandboxConfig(read(actor), id),
    list: (actor, page) => listSandboxConfigs(read(actor), page),
    update: (actor, id, settings) =>
      change(actor, async (scope) => {
        checkSettings(settings);
        const stored = await getSandboxConfig(scope, id);
        return await applySettings(scope, actor, id, { ...stored.settings, ...settings });
      }),
    delete: (actor, id) =>
      write(runtime, actor, async (scope) => {
        await deleteSandboxConfig(scope, id);
        await deleteSecrets(scope, id);
      }),
    addVariable: (actor, id, input) =>
      write(runtime, actor, async (scope) => {
        await getSandboxConfig(scope, id);
        const at = scope.now();
        const times = { createdAt: at, updatedAt: at };
        const variable = { ...input, id: scope.newId("sandbox-env"), configId: id, ...times };
        return await seal(runtime, scope, actor, variable);
      }),
    listVariables: async (actor, id) => {
      const scope = read(actor);
      await getSandboxConfig(scope, id);
      const secrets = await listSecrets(scope, [id]);
      return secrets
        .map((secret) => open(runtime, scope, secret))
        .sort((left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1));
    },
    updateVariable: (actor, variableId, update) =>
      write(runtime, actor, async (scope) => {
        const stored = open(runtime, scope, await getVariable(scope, variableId));
        const { name = stored.name, value = stored.value, description = stored.description } = update;
        return await seal(runtime, scope, actor, { ...stored, name, value, description, updatedAt: scope.now() });
      }),
    deleteVariable: (actor, variableId) =>
      write(runtime, actor, async (scope) => {
        await getVariable(scope, variableId);
        await deleteSecret(scope, variableId);
      }),
  };
}

/** What is said of packages and of where tools run has to make sense before a tool needs it. */
function checkSettings(settings: JsonObject): void {
  for (const sourceKind of ["python", "typescript"]) {
    gatherRequirements({ name: "", sourceKind, metadata: null }, settings);
  }
  readSandboxName(settings.sandbox, "config");
}

async function ensure(scope: Scope, actor: Actor, kind: SandboxKind, settings: JsonObject): Promise<SandboxConfig> {
  const stored = await findSandboxConfig(scope, kind);
  if (stored) return stored;
  const at = scope.now();
  const id = scope.newId("sandbox");
  const [createdBy, updatedBy] = [actor.userId, actor.userId];
  await insertSandboxConfig(scope, { id, kind, settings, createdAt: at, updatedAt: at, createdBy, updatedBy });
  const made = await findSandboxConfig(scope, kind);
  if (!made) throw notFound("sandbox config", id);
  return made;
}

async function applySettings(scope: Scope, actor: Actor, id: string, settings: JsonObject): Promise<SandboxConfig> {
  await updateSandboxConfig(scope, id, { settings, updatedAt: scope.now(), updatedBy: actor.userId });
  return await getSandboxConfig(scope, id);
}

/** A secret of something else counts as missing. */
async function getVariable(scope: Scope, id: string): Promise<StoredSecret> {
  const secret = await findSecret(scope, id);
  if (!secret?.ownerId.startsWith("sandbox-")) throw notFound("environment variable", id);
  return secret;
}

async function seal(
  { vault }: Runtime,
  scope: Scope,
  actor: Actor,
  { configId, value, ...variable }: SandboxVariable,
): Promise<SandboxVariable> {
  if (variable.name.trim() === "") throw invalidInput("key", "an environment variable needs a key");
  const sealed = vault.encrypt(value, secretPlace(scope, configId, variable.name));
  await putSecret(scope, { ...variable, ownerId: configId, ...sealed }, actor.userId);
  return { ...variable, configId, value };
}

function open({ vault }: Runtime, scope: Scope, secret: StoredSecret): SandboxVariable {
  return {
    id: secret.id,
    configId: secret.ownerId,
    name: secret.name,
    value: vault.decrypt(secret, secretPlace(scope, secret.ownerId, secret.name)),
    description: secret.description,
    createdAt: secret.createdAt,
    updatedAt: secret.updatedAt,
  };
}
