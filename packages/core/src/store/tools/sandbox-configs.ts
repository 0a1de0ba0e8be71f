/** Sandbox configurations of an organization, one per kind; environment variables are rows of `secret`. */
import type { JsonObject } from "../../shared/json.ts";
import { createCodec, json, plain } from "../engine/codec.ts";
import { deleteById, type Entity, getById, updateById } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { NewRow, Scope } from "../engine/scope.ts";

export const sandboxKinds = ["e2b", "local", "modal"] as const;

export type SandboxKind = (typeof sandboxKinds)[number];

export interface SandboxConfig {
  readonly id: string;
  readonly kind: SandboxKind;
  readonly settings: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
}

const configEntity: Entity<SandboxConfig, "sandbox_config"> = {
  table: "sandbox_config",
  name: "sandbox config",
  codec: createCodec<SandboxConfig>("sandbox_config", {
    id: plain("id"),
    kind: plain("kind"),
    settings: json("config"),
    createdAt: plain("created_at"),
    updatedAt: plain("updated_at"),
    createdBy: plain("created_by"),
    updatedBy: plain("updated_by"),
  }),
};

export const getSandboxConfig = (scope: Scope, id: string): Promise<SandboxConfig> => getById(scope, configEntity, id);

export async function findSandboxConfig(scope: Scope, kind: SandboxKind): Promise<SandboxConfig | undefined> {
  const row = await scope
    .select("sandbox_config")
    .selectAll("sandbox_config")
    .where("kind", "=", kind)
    .executeTakeFirst();
  return row && configEntity.codec.decode(row);
}

export const listSandboxConfigs = (scope: Scope, page: PageRequest): Promise<SandboxConfig[]> =>
  listPage(scope, configEntity, scope.select("sandbox_config"), page);

/** Keeps an existing row, which a concurrent request may have inserted. */
export async function insertSandboxConfig(scope: Scope, config: SandboxConfig): Promise<void> {
  await scope
    .insert("sandbox_config", configEntity.codec.encode(config) as unknown as NewRow<"sandbox_config">)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export const updateSandboxConfig = (scope: Scope, id: string, changes: Partial<SandboxConfig>): Promise<void> =>
  updateById(scope, configEntity, id, changes);

export const deleteSandboxConfig = (scope: Scope, id: string): Promise<void> => deleteById(scope, configEntity, id);
