/** Settings: flags win over the environment, the environment over a file. Names outside checks rely on stay as they are. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MemoirError, resolveDatabase, type SandboxName, sandboxNames } from "@memoir/core";
import { defaultRequestTimeout } from "./limits.ts";
import { nearest } from "./nearest.ts";

export interface ServerConfig {
  readonly port: number;
  readonly host: string;
  readonly database: string;
  readonly durability: "full" | "normal";
  readonly redis: string | undefined;
  readonly encryptionKey: string | undefined;
  /** What secrets may still be sealed with. */
  readonly encryptionKeyOld: readonly string[];
  /** Clients may read values of secrets back. */
  readonly showSecrets: boolean;
  readonly password: string | undefined;
  /** Password mode without a password given: one is made up and printed. */
  readonly secure: boolean;
  /** Listening beyond this machine without a password is meant. */
  readonly insecure: boolean;
  readonly rateLimit: number | undefined;
  /** Seconds within which a request has to arrive whole. */
  readonly requestTimeout: number;
  readonly hosts: readonly string[];
  readonly log: "debug" | "info" | "warn" | "error" | "silent";
  readonly busy: "queue" | "reject";
  /** Seconds a call waits for someone's approval, and for the client that runs it. */
  readonly approvalTimeout: number;
  readonly clientToolTimeout: number;
  readonly modelRequestTimeout: number;
  readonly modelStreamTimeout: number;
  readonly origins: readonly string[];
  readonly defaultModel: string | undefined;
  readonly fallbackModels: readonly string[];
  readonly defaultEmbedding: string | undefined;
  /** Look for model servers on this machine. */
  readonly discover: boolean;
  /** How long what went to providers and came back is kept; 0 for not at all. */
  readonly traceDays: number;
  /** In megabytes. */
  readonly maxReplySize: number;
  /** Where spans and figures are sent, by OTLP over HTTP. */
  readonly otlpEndpoint: string | undefined;
  readonly telemetry: boolean;
  /** Tools with a source run also where this machine cannot wall them off. */
  readonly unsafeTools: boolean;
  /** Seconds that a call of a tool with a source may take. */
  readonly toolTimeout: number;
  /** Where tools run that say nothing about it. */
  readonly sandbox: SandboxName;
  readonly pythonImage: string | undefined;
  readonly nodeImage: string | undefined;
  /** Where packages that tools require are kept. */
  readonly toolEnvironments: string | undefined;
  /** Packages that are not ready to install may be built, which runs their code. */
  readonly toolBuilds: boolean;
  readonly mcpStdio: "deny" | "allow";
  readonly mcpAllowPrivate: readonly string[];
  readonly searxngUrl: string | undefined;
  readonly fetchAllowPrivate: readonly string[];
  /** Hosts inside the own network that models at addresses of callers may be at. */
  readonly modelAllowPrivate: readonly string[];
  /** Told of the end of every step. */
  readonly stepWebhook: string | undefined;
  readonly stepWebhookVersion: "1" | "2";
  /** Signs what is sent there. */
  readonly stepWebhookSecret: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface Setting<V> {
  readonly variables: readonly string[];
  readonly help: string;
  readonly fallback: (home: string) => V;
  readonly parse: (text: string) => V;
  readonly isSwitch?: boolean;
}

const yes = ["true", "1", "yes", "on"];
const no = ["false", "0", "no", "off"];

/** A misspelt "true" must not leave a server open. */
function parseSwitch(text: string): boolean {
  const word = text.toLowerCase();
  if (!yes.includes(word) && !no.includes(word)) throw new Error(`must be true or false, not "${text}"`);
  return yes.includes(word);
}

const parseList = (text: string) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

const parseLines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function oneOf<const V extends string>(...choices: readonly V[]) {
  return (text: string): V => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(", ")}, not "${text}"`);
    return choice;
  };
}

function parsePort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new Error(`must be a port from 0 to 65535, not "${text}"`);
  return port;
}

function parseCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new Error(`must be a number of 1 or more, not "${text}"`);
  return count;
}

function parseSeconds(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  if (seconds <= 0 || seconds > 86_400) throw new Error(`must be a number of seconds, at most a day, not "${text}"`);
  return seconds;
}

const minModelSeconds = 10;

function parseModelSeconds(text: string): number {
  const seconds = parseSeconds(text);
  if (seconds < minModelSeconds) throw new Error(`must be ${minModelSeconds} seconds or more, not "${text}"`);
  return seconds;
}

function parseDays(text: string): number {
  const days = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : -1;
  if (days < 0 || days > 36_500) throw new Error(`must be a number of days, 0 for none, not "${text}"`);
  return days;
}

function parseAddress(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol !== "http:" && protocol !== "https:")
    throw new Error(`must begin with http:// or https://, not "${text}"`);
  return text;
}

function parseWebhook(text: string): string {
  const { username, password } = new URL(parseAddress(text));
  if (username || password) throw new Error("must not hold a password: set STEP_COMPLETE_KEY, which is sent along");
  return text;
}

/** In the form that the Standard Webhooks specification gives secrets, or any text. */
function parseSecret(text: string): string {
  const secret = text.trim();
  const isFaulty = secret.startsWith("whsec_") && !/^whsec_[A-Za-z0-9+/]{8,}={0,2}$/.test(secret);
  if (isFaulty) throw new Error("must be base64 after whsec_");
  if (secret === "") throw new Error("must not be empty");
  return secret;
}

function parseDatabase(text: string): string {
  if (text.trim() === "") throw new Error("must be a file path or a postgres:// address");
  // The old server's addresses name a Python driver.
  const address = text.replace(/^(postgres(?:ql)?)\+\w+:\/\//, "$1://").replace(/^~(?=\/)/, homedir());
  return resolveDatabase(address);
}

export const settings: { readonly [K in keyof ServerConfig]: Setting<ServerConfig[K]> } = {
  port: {
    variables: ["MEMOIR_PORT", "PORT"],
    help: "port to listen on (8283)",
    fallback: () => 8283,
    parse: parsePort,
  },
  host: {
    variables: ["MEMOIR_HOST"],
    help: "address to listen on (127.0.0.1)",
    fallback: () => "127.0.0.1",
    parse: (text) => text,
  },
  database: {
    variables: ["MEMOIR_DATABASE", "LETTA_PG_URI"],
    help: "file path, or postgres://… (~/.memoir/memoir.db)",
    fallback: (home) => join(home, ".memoir", "memoir.db"),
    parse: parseDatabase,
  },
  durability: {
    variables: ["MEMOIR_DURABILITY"],
    help: "SQLite: full survives a power cut, normal a crash (full)",
    fallback: () => "full",
    parse: oneOf("full", "normal"),
  },
  redis: {
    variables: ["MEMOIR_REDIS"],
    help: "redis://… shared by several servers [not used yet]",
    fallback: () => undefined,
    parse: (text) => text,
  },
  encryptionKey: {
    variables: ["MEMOIR_ENCRYPTION_KEY", "LETTA_ENCRYPTION_KEY"],
    help: "seals secrets; required with PostgreSQL",
    fallback: () => undefined,
    parse: (text) => text,
  },
  encryptionKeyOld: {
    variables: ["MEMOIR_ENCRYPTION_KEY_OLD"],
    help: "the key before that: what it sealed is sealed anew",
    fallback: () => [],
    parse: parseLines,
  },
  showSecrets: {
    variables: ["MEMOIR_SHOW_SECRETS"],
    help: "let clients read values of secrets back",
    fallback: () => false,
    parse: parseSwitch,
    isSwitch: true,
  },
  password: {
    variables: ["MEMOIR_PASSWORD", "LETTA_SERVER_PASSWORD"],
    help: "callers must send it: Authorization: Bearer <password>",
    fallback: () => undefined,
    parse: (text) => text,
  },
  secure: {
    variables: ["MEMOIR_SECURE", "LETTA_SERVER_SECURE"],
    help: "ask for a password; without one given, one is made up and printed",
    fallback: () => false,
    parse: parseSwitch,
    isSwitch: true,
  },
  insecure: {
    variables: ["MEMOIR_INSECURE"],
    help: "listen beyond this machine without a password",
    fallback: () => false,
    parse: parseSwitch,
    isSwitch: true,
  },
  rateLimit: {
    variables: ["MEMOIR_RATE_LIMIT"],
    help: "most requests a minute for each key (no limit)",
    fallback: () => undefined,
    parse: parseCount,
  },
  requestTimeout: {
    variables: ["MEMOIR_REQUEST_TIMEOUT"],
    help: "seconds within which a request must arrive, its body included (300)",
    fallback: () => defaultRequestTimeout,
    parse: parseSeconds,
  },
  hosts: {
    variables: ["MEMOIR_HOSTS"],
    help: "names by which browsers may call this server besides localhost, comma separated",
    fallback: () => [],
    parse: parseList,
  },
  log: {
    variables: ["MEMOIR_LOG"],
    help: "debug, info, warn, error or silent (warn)",
    fallback: () => "warn",
    parse: oneOf("debug", "info", "warn", "error", "silent"),
  },
  busy: {
    variables: ["MEMOIR_BUSY"],
    help: "a second message to a busy conversation: queue or reject (queue)",
    fallback: () => "queue",
    parse: oneOf("queue", "reject"),
  },
  approvalTimeout: {
    variables: ["MEMOIR_APPROVAL_TIMEOUT"],
    help: "seconds a tool call waits for approval before it counts as denied (86400)",
    fallback: () => 86_400,
    parse: parseCount,
  },
  clientToolTimeout: {
    variables: ["MEMOIR_CLIENT_TOOL_TIMEOUT"],
    help: "seconds a tool call waits for the client that runs it before it counts as denied (3600)",
    fallback: () => 3_600,
    parse: parseCount,
  },
  modelRequestTimeout: {
    variables: ["MEMOIR_MODEL_REQUEST_TIMEOUT", "LETTA_LLM_REQUEST_TIMEOUT_SECONDS"],
    help: "seconds a model may send nothing, before its reply and within it (600)",
    fallback: () => 600,
    parse: parseModelSeconds,
  },
  modelStreamTimeout: {
    variables: ["MEMOIR_MODEL_STREAM_TIMEOUT", "LETTA_LLM_STREAM_TIMEOUT_SECONDS"],
    help: "seconds a whole reply of a model may take (1800)",
    fallback: () => 1_800,
    parse: parseModelSeconds,
  },
  origins: {
    variables: ["MEMOIR_ORIGINS", "ACCEPTABLE_ORIGINS"],
    help: "web pages that may call this server, comma separated",
    fallback: () => [],
    parse: parseList,
  },
  defaultModel: {
    variables: ["MEMOIR_DEFAULT_MODEL", "LETTA_DEFAULT_LLM_HANDLE"],
    help: "model of new agents that name none, as provider/model",
    fallback: () => undefined,
    parse: (text) => text,
  },
  fallbackModels: {
    variables: ["MEMOIR_FALLBACK_MODELS"],
    help: "models to ask when an agent's own does not answer, comma separated",
    fallback: () => [],
    parse: parseList,
  },
  defaultEmbedding: {
    variables: ["MEMOIR_DEFAULT_EMBEDDING", "LETTA_DEFAULT_EMBEDDING_HANDLE"],
    help: "embedding model where none is named",
    fallback: () => undefined,
    parse: (text) => text,
  },
  discover: {
    variables: ["MEMOIR_DISCOVER"],
    help: "look for Ollama and LM Studio on this machine: on or off (on)",
    fallback: () => true,
    parse: parseSwitch,
  },
  traceDays: {
    variables: ["MEMOIR_TRACE_DAYS"],
    help: "days that traces of calls to models are kept, 0 for none (7)",
    fallback: () => 7,
    parse: parseDays,
  },
  maxReplySize: {
    variables: ["MEMOIR_MAX_REPLY_SIZE"],
    help: "megabytes that one reply of a model may have; longer ones fail their run (16)",
    fallback: () => 16,
    parse: parseCount,
  },
  otlpEndpoint: {
    variables: ["MEMOIR_OTLP_ENDPOINT", "LETTA_OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    help: "where spans and figures are sent, by OTLP over HTTP (nowhere)",
    fallback: () => undefined,
    parse: parseAddress,
  },
  telemetry: {
    variables: ["MEMOIR_TELEMETRY"],
    help: "send them where an address is configured: on or off (on)",
    fallback: () => true,
    parse: parseSwitch,
  },
  unsafeTools: {
    variables: ["MEMOIR_UNSAFE_TOOLS"],
    help: "run the source of tools without a sandbox where there is none",
    fallback: () => false,
    parse: parseSwitch,
    isSwitch: true,
  },
  toolTimeout: {
    variables: ["MEMOIR_TOOL_TIMEOUT", "TOOL_SANDBOX_TIMEOUT"],
    help: "seconds that a tool with a source may run (180)",
    fallback: () => 180,
    parse: parseSeconds,
  },
  sandbox: {
    variables: ["MEMOIR_SANDBOX"],
    help: "where tools with a source run: local, docker, podman or e2b (local)",
    fallback: () => "local",
    parse: oneOf(...sandboxNames),
  },
  pythonImage: {
    variables: ["MEMOIR_PYTHON_IMAGE"],
    help: "image for Python tools in containers (python:3.13-slim)",
    fallback: () => undefined,
    parse: (text) => text,
  },
  nodeImage: {
    variables: ["MEMOIR_NODE_IMAGE"],
    help: "image for TypeScript tools in containers (node:24-slim)",
    fallback: () => undefined,
    parse: (text) => text,
  },
  toolEnvironments: {
    variables: ["MEMOIR_TOOL_ENVIRONMENTS"],
    help: "folder for packages that tools require (beside the SQLite file, or in ~/.memoir)",
    fallback: () => undefined,
    parse: (text) => text.replace(/^~(?=\/)/, homedir()),
  },
  toolBuilds: {
    variables: ["MEMOIR_TOOL_BUILDS"],
    help: "build packages of tools that are not ready to install, which runs their code",
    fallback: () => false,
    parse: parseSwitch,
    isSwitch: true,
  },
  mcpStdio: {
    variables: ["MEMOIR_MCP_STDIO"],
    help: "MCP servers started as programs: deny or allow (deny)",
    fallback: () => "deny",
    parse: oneOf("deny", "allow"),
  },
  mcpAllowPrivate: {
    variables: ["MEMOIR_MCP_ALLOW_PRIVATE"],
    help: "inside hosts that MCP, callbacks and REST tools may reach, comma separated",
    fallback: () => [],
    parse: parseList,
  },
  searxngUrl: {
    variables: ["MEMOIR_SEARXNG_URL"],
    help: "address of a SearXNG that web_search asks when there is no key for Exa or Tavily",
    fallback: () => undefined,
    parse: parseAddress,
  },
  fetchAllowPrivate: {
    variables: ["MEMOIR_FETCH_ALLOW_PRIVATE"],
    help: "inside hosts whose pages and images may be fetched, comma separated",
    fallback: () => [],
    parse: parseList,
  },
  modelAllowPrivate: {
    variables: ["MEMOIR_MODEL_ALLOW_PRIVATE"],
    help: "inside hosts that models named by callers may be at, comma separated",
    fallback: () => [],
    parse: parseList,
  },
  stepWebhook: {
    variables: ["MEMOIR_STEP_WEBHOOK", "STEP_COMPLETE_WEBHOOK"],
    help: "address that is told of the end of every step",
    fallback: () => undefined,
    parse: parseWebhook,
  },
  stepWebhookVersion: {
    variables: ["MEMOIR_STEP_WEBHOOK_VERSION"],
    help: "1: the step's id, sent once; 2: what happened, signed and sent again (1)",
    fallback: () => "1",
    parse: oneOf("1", "2"),
  },
  stepWebhookSecret: {
    variables: ["MEMOIR_STEP_WEBHOOK_SECRET"],
    help: "signs what is sent in version 2 (STEP_COMPLETE_KEY)",
    fallback: () => undefined,
    parse: parseSecret,
  },
};

type Name = keyof ServerConfig;
const names = Object.keys(settings) as Name[];

export function flagOf(name: Name): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export interface ReadConfig {
  readonly config: ServerConfig;
  /** Worth telling the operator, not worth refusing to start. */
  readonly warnings: string[];
}

export function readConfig(flags: readonly string[], environment: Environment, home = homedir()): ReadConfig {
  const input = parseFlags(flags);
  const file = readFile(input.config ?? environment.MEMOIR_CONFIG, home);
  const variables = withAliases(environment);
  const entries = names.map((name) => {
    const setting = settings[name];
    const variable = setting.variables.find((candidate) => variables[candidate]);
    const [text, origin] =
      input[name] !== undefined
        ? [input[name], `--${flagOf(name)}`]
        : variable !== undefined
          ? [variables[variable], variable]
          : [file[name], `"${name}" in the config file`];
    return [name, text === undefined ? setting.fallback(home) : parse<unknown>(setting.parse, text, origin)];
  });
  const config = Object.fromEntries(entries) as unknown as ServerConfig;
  return { config, warnings: findUnknown(environment) };
}

function parse<V>(parser: (text: string) => V, text: string, origin: string): V {
  try {
    return parser(text);
  } catch (error) {
    if (error instanceof MemoirError) throw error;
    throw refuse(`${origin} ${error instanceof Error ? error.message : "is not valid"}.`);
  }
}

function refuse(message: string): MemoirError {
  return new MemoirError("invalid-argument", message);
}

type Given = Partial<Record<Name | "config", string>>;

function parseFlags(flags: readonly string[]): Given {
  const options = Object.fromEntries([
    ...names.map((name) => [flagOf(name), { type: settings[name].isSwitch ? "boolean" : "string" } as const]),
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
      throw refuse(`unknown option ${unknown}${guess ? `; did you mean --${guess}?` : "; see memoir serve --help."}`);
    throw refuse(`${error instanceof Error ? error.message : "unreadable options"}. See memoir serve --help.`);
  }
  return Object.fromEntries(
    [...names, "config" as const].flatMap((name) => {
      const value = values[name === "config" ? name : flagOf(name)];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

function readFile(path: string | undefined, home: string): Given {
  const chosen = path ?? join(home, ".memoir", "config.json");
  if (!existsSync(chosen)) {
    if (path !== undefined) throw refuse(`the config file ${path} does not exist.`);
    return {};
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(chosen, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : "";
    throw refuse(`the config file ${chosen} is not valid JSON: ${reason}.`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw refuse(`the config file ${chosen} must hold one JSON object.`);
  }
  const said = Object.entries(parsed).filter(([, value]) => value !== null);
  return Object.fromEntries(
    said.map(([key, value]) => {
      if (!names.includes(key as Name)) {
        const guess = nearest(key, names);
        throw refuse(
          `the config file ${chosen} has an unknown setting "${key}"${guess ? `; did you mean "${guess}"?` : "."}`,
        );
      }
      if (typeof value === "object" && !Array.isArray(value)) {
        throw refuse(`"${key}" in the config file ${chosen} must be a plain value, not an object.`);
      }
      return [key, Array.isArray(value) ? value.join(",") : String(value)];
    }),
  );
}

const isYes = (word = "") => yes.includes(word.toLowerCase());

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
