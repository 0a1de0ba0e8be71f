/** Reads settings: flags win over the environment, the environment over a file. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MemoirError } from "@memoir/core";
import { nearest } from "../nearest.ts";
import { isYes, type Setting } from "./setting.ts";
import { type Environment, flagOf, type ServerConfig, type SettingName, settingNames, settings } from "./settings.ts";

export interface ReadConfig {
  readonly config: ServerConfig;
  /** Worth telling the operator, not worth refusing to start. */
  readonly warnings: string[];
}

export function readConfig(flags: readonly string[], environment: Environment, home = homedir()): ReadConfig {
  const input = parseFlags(flags);
  const file = readFile(input.config ?? environment.MEMOIR_CONFIG, home);
  const variables = withAliases(environment);
  const entries = settingNames.map((name) => {
    const setting: Setting<unknown> = settings[name];
    const variable = setting.variables.find((candidate) => variables[candidate]);
    const [text, origin] =
      input[name] !== undefined
        ? [input[name], `--${flagOf(name)}`]
        : variable !== undefined
          ? [variables[variable], variable]
          : file[name] !== undefined
            ? [file[name], `"${name}" in the config file`]
            : [setting.default, `the default of "${name}"`];
    return [name, text === undefined ? undefined : parse(setting, text, home, origin)];
  });
  const config = Object.fromEntries(entries) as unknown as ServerConfig;
  return { config, warnings: findUnknown(environment) };
}

function parse(setting: Setting<unknown>, text: string, home: string, origin: string): unknown {
  try {
    return setting.parse(text, home);
  } catch (error) {
    if (error instanceof MemoirError) throw error;
    throw reject(`${origin} ${error instanceof Error ? error.message : "is not valid"}.`);
  }
}

function reject(message: string): MemoirError {
  return new MemoirError("invalid-argument", message);
}

type Input = Partial<Record<SettingName | "config", string>>;

function parseFlags(flags: readonly string[]): Input {
  const options = Object.fromEntries([
    ...settingNames.map((name) => [flagOf(name), { type: settings[name].isSwitch ? "boolean" : "string" } as const]),
    ["config", { type: "string" } as const],
  ]);
  let values: Record<string, unknown>;
  try {
    ({ values } = parseArgs({ args: [...flags], options, allowPositionals: false, strict: true }));
  } catch (error) {
    const known = Object.keys(options);
    const unknown = flags.find((word) => word.startsWith("--") && !known.includes(word.slice(2).split("=")[0] ?? ""));
    const guess = unknown && nearest(unknown.slice(2).split("=")[0] ?? "", known);
    if (unknown)
      throw reject(`unknown option ${unknown}${guess ? `; did you mean --${guess}?` : "; see memoir serve --help."}`);
    throw reject(`${error instanceof Error ? error.message : "unreadable options"}. See memoir serve --help.`);
  }
  return Object.fromEntries(
    [...settingNames, "config" as const].flatMap((name) => {
      const value = values[name === "config" ? name : flagOf(name)];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

function readFile(path: string | undefined, home: string): Input {
  const chosen = path ?? join(home, ".memoir", "config.json");
  if (!existsSync(chosen)) {
    if (path !== undefined) throw reject(`the config file ${path} does not exist.`);
    return {};
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(chosen, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : "";
    throw reject(`the config file ${chosen} is not valid JSON: ${reason}.`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw reject(`the config file ${chosen} must hold one JSON object.`);
  }
  const said = Object.entries(parsed).filter(([, value]) => value !== null);
  return Object.fromEntries(
    said.map(([key, value]) => {
      if (!settingNames.includes(key as SettingName)) {
        const guess = nearest(key, settingNames);
        throw reject(
          `the config file ${chosen} has an unknown setting "${key}"${guess ? `; did you mean "${guess}"?` : "."}`,
        );
      }
      if (typeof value === "object" && !Array.isArray(value)) {
        throw reject(`"${key}" in the config file ${chosen} must be a plain value, not an object.`);
      }
      return [key, Array.isArray(value) ? value.join(",") : String(value)];
    }),
  );
}

/** Settings that older names spell in parts, or the other way round. */
function withAliases(environment: Environment): Environment {
  const { LETTA_REDIS_HOST: host, LETTA_REDIS_PORT: port, MCP_DISABLE_STDIO: denied } = environment;
  const { LETTA_DISABLE_TRACING: isUntraced, OTEL_SDK_DISABLED: isDisabled } = environment;
  return {
    ...(host ? { MEMOIR_REDIS: `redis://${host}:${port ?? "6379"}` } : {}),
    ...([isUntraced, isDisabled].some(isYes) ? { MEMOIR_TELEMETRY: "off" } : {}),
    ...(denied ? { MEMOIR_MCP_STDIO: denied.toLowerCase() === "false" ? "allow" : "deny" } : {}),
    // An empty one counts as not set, and does not hide the older name.
    ...Object.fromEntries(Object.entries(environment).filter(([, value]) => value)),
  };
}

const otherVariables = ["MEMOIR_CONFIG"];

function findUnknown(environment: Environment): string[] {
  const known = [...Object.values(settings).flatMap(({ variables }) => variables), ...otherVariables];
  return Object.keys(environment)
    .filter((name) => name.startsWith("MEMOIR_") && !name.startsWith("MEMOIR_TEST_") && !known.includes(name))
    .map((name) => {
      const guess = nearest(name, known);
      return `${name} is not a setting of Memoir${guess ? `; did you mean ${guess}?` : "."}`;
    });
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
