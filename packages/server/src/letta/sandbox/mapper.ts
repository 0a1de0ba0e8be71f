/** Settings of sandboxes between core and wire. */
import type { JsonObject, SandboxConfig, SandboxKind, SandboxVariable } from "@memoir/core";
import { parseInput } from "../../validation.ts";
import { maskSecret, type ShowSecret } from "../shared/secret-values.ts";
import { toWireTime } from "../shared/time.ts";
import { defaultSettings, type SandboxConfigWire, type SandboxVariableWire, settingsOf } from "./schema.ts";

export function toSandboxConfigWire(config: SandboxConfig, orgId: string): SandboxConfigWire {
  return {
    created_by_id: config.createdBy,
    last_updated_by_id: config.updatedBy,
    created_at: toWireTime(config.createdAt),
    updated_at: toWireTime(config.updatedAt),
    id: config.id,
    type: config.kind,
    organization_id: orgId,
    config: config.settings,
  };
}

export function toVariableWire(
  variable: SandboxVariable,
  orgId: string,
  show: ShowSecret = maskSecret,
): SandboxVariableWire {
  return {
    created_by_id: null,
    last_updated_by_id: null,
    created_at: toWireTime(variable.createdAt),
    updated_at: toWireTime(variable.updatedAt),
    id: variable.id,
    key: variable.name,
    value: show(variable.name, variable.value),
    value_enc: null,
    description: variable.description,
    sandbox_config_id: variable.configId,
    organization_id: orgId,
  };
}

/** Only what was said. */
export function readSettings(kind: SandboxKind, config: JsonObject): JsonObject {
  const input = Object.entries(parseInput<object>(settingsOf[kind], config, "body"));
  return Object.fromEntries(input.filter(([, value]) => value !== undefined)) as JsonObject;
}

export function completeSettings(kind: SandboxKind, config: JsonObject): JsonObject {
  return { ...defaultSettings[kind], ...readSettings(kind, config) };
}

/** The old server tells the kinds by their settings: only some of them name a template, a language or a timeout. */
export function guessKind(config: JsonObject): SandboxKind {
  if ("language" in config || "npm_requirements" in config) return "modal";
  return "template" in config || "timeout" in config ? "e2b" : "local";
}
