/** Every setting, in the order of the help; the type of the configuration and the options of the library derive from it. */
import type { MemoirOptions } from "@memoir/core";
import type { AppOptions } from "../app.ts";
import type { Setting } from "./setting.ts";
import { accessSettings } from "./settings-access.ts";
import { modelSettings } from "./settings-models.ts";
import { networkSettings } from "./settings-network.ts";
import { runSettings } from "./settings-runs.ts";
import { serverSettings } from "./settings-server.ts";
import { telemetrySettings } from "./settings-telemetry.ts";
import { toolSettings } from "./settings-tools.ts";
import { webhookSettings } from "./settings-webhook.ts";

export const settings = {
  ...serverSettings,
  ...accessSettings,
  ...runSettings,
  ...modelSettings,
  ...telemetrySettings,
  ...toolSettings,
  ...networkSettings,
  ...webhookSettings,
};

export type SettingName = keyof typeof settings;

export type ServerConfig = { readonly [K in SettingName]: ReturnType<(typeof settings)[K]["parse"]> };

export type Environment = Readonly<Record<string, string | undefined>>;

export const settingNames = Object.keys(settings) as SettingName[];

export function flagOf(name: SettingName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The options of the library that settings map to one by one; an unset one is left to the library. */
export function toMemoirOptions(config: ServerConfig): MemoirOptions {
  const { database } = config;
  return Object.assign({ database }, ...mapSettings(config, ({ toMemoir }, value) => toMemoir?.(value)));
}

export function toAppOptions(config: ServerConfig): Partial<AppOptions> {
  return Object.assign({}, ...mapSettings(config, ({ toApp }, value) => toApp?.(value)));
}

type Value = NonNullable<unknown>;
type AnySetting = Pick<Setting<Value>, "toMemoir" | "toApp">;

function mapSettings<T>(config: ServerConfig, map: (setting: AnySetting, value: Value) => T): T[] {
  return settingNames.flatMap((name) => {
    const value = config[name];
    return value === undefined ? [] : [map(settings[name] as AnySetting, value)];
  });
}
