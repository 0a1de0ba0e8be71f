/** Settings of sandboxes on the wire. */
import type { JsonObject, SandboxKind } from "@memoir/core";
import { sandboxKinds, sandboxNames } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireInteger, wireLine, wireList, wireName, wireText } from "../shared/fields.ts";
import { idSchema } from "../shared/ids.ts";

export interface SandboxConfigWire {
  created_by_id: string | null;
  last_updated_by_id: string | null;
  created_at: string;
  updated_at: string;
  id: string;
  type: SandboxKind;
  organization_id: string;
  config: JsonObject;
}

export const SandboxConfigWire: z.ZodType<SandboxConfigWire> = z
  .strictObject({
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    id: z.string(),
    type: z.enum(sandboxKinds),
    organization_id: z.string(),
    config: WireObject,
  })
  .meta({ id: "SandboxConfig" });

export interface SandboxVariableWire {
  created_by_id: null;
  last_updated_by_id: null;
  created_at: string;
  updated_at: string;
  id: string;
  key: string;
  value: string;
  value_enc: null;
  description: string | null;
  sandbox_config_id: string;
  organization_id: string;
}

export const SandboxVariableWire: z.ZodType<SandboxVariableWire> = z
  .strictObject({
    created_by_id: z.null(),
    last_updated_by_id: z.null(),
    created_at: z.string(),
    updated_at: z.string(),
    id: z.string(),
    key: z.string(),
    value: z.string(),
    value_enc: z.null(),
    description: z.string().nullable(),
    sandbox_config_id: z.string(),
    organization_id: z.string(),
  })
  .meta({ id: "SandboxEnvironmentVariable" });

const pip = z.object({ name: wireName.min(1), version: optional(wireName) });
const packages = z.array(z.string()).max(1000);

/** What can be said of each kind; anything else is refused, so that a misspelt setting is noticed. */
export const settingsOf = {
  local: z.strictObject({
    sandbox_dir: optional(wireLine),
    use_venv: optional(z.boolean()),
    venv_name: optional(wireName),
    pip_requirements: optional(wireList(pip, { max: 1000 })),
    // Our own: hosts that the organization's tools may reach, and where those run that do not say.
    allowed_hosts: optional(wireList(wireName.min(1), { max: 100 })),
    sandbox: optional(z.enum(sandboxNames)),
  }),
  e2b: z.strictObject({
    timeout: optional(wireInteger.min(1)),
    template: optional(z.string()),
    pip_requirements: optional(packages),
  }),
  modal: z.strictObject({
    timeout: optional(wireInteger.min(1)),
    pip_requirements: optional(packages),
    npm_requirements: optional(packages),
    language: optional(z.enum(["python", "typescript"])),
  }),
} as const;

/** What the old server writes where nothing is said. */
export const defaultSettings: Readonly<Record<SandboxKind, JsonObject>> = {
  local: { sandbox_dir: null, use_venv: false, venv_name: "venv", pip_requirements: [] },
  e2b: { timeout: 300, template: null, pip_requirements: null },
  modal: { timeout: 60, pip_requirements: null, npm_requirements: null, language: "python" },
};

export interface SandboxSettingsWire {
  config: JsonObject;
  type?: SandboxKind;
}

export const SandboxSettingsWire: z.ZodType<SandboxSettingsWire> = z.object({
  config: WireObject,
  type: optional(z.enum(sandboxKinds)),
});

export const VariableWire = z.object({
  key: wireName.min(1),
  value: wireText,
  description: optional(wireText),
});

export const VariableUpdateWire = z.object({
  key: optional(wireName.min(1)),
  value: optional(wireText),
  description: optional(wireText),
});

export const SandboxParams = z.object({ sandbox_config_id: idSchema("sandbox") });
export const VariableParams = z.object({ environment_variable_id: idSchema("sandbox-env") });
