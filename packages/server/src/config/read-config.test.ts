import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isLoopback, readConfig } from "./read-config.ts";
import { type Environment, toAppOptions, toMemoirOptions } from "./settings.ts";

/** A home folder, with a config file in its usual place if one is given. */
function makeHome(file?: unknown): string {
  const home = mkdtempSync(join(tmpdir(), "memoir-config-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  if (file !== undefined) {
    mkdirSync(join(home, ".memoir"));
    writeFileSync(join(home, ".memoir", "config.json"), typeof file === "string" ? file : JSON.stringify(file));
  }
  return home;
}

const read = (flags: string[], environment: Environment = {}, file?: unknown) =>
  readConfig(flags, environment, makeHome(file));

/** What the operator is told, on one line and with a full stop or question at its end. */
function refusal(flags: string[], environment: Environment = {}, file?: unknown): string {
  try {
    read(flags, environment, file);
  } catch (error) {
    const { message } = error as Error;
    expect(message).not.toContain("\n");
    expect(message).toMatch(/[.?]$/);
    return message;
  }
  throw new Error("nothing was refused");
}

describe("where a setting comes from", () => {
  test("a flag wins over the environment, the environment over the file, the file over the default", () => {
    const file = { port: 3 };
    expect(read(["--port", "1"], { MEMOIR_PORT: "2" }, file).config.port).toBe(1);
    expect(read([], { MEMOIR_PORT: "2" }, file).config.port).toBe(2);
    expect(read([], {}, file).config.port).toBe(3);
    expect(read([]).config.port).toBe(8283);
  });

  test("without anything said it listens on this machine only, with one file in the home folder", () => {
    const home = makeHome();
    expect(readConfig([], {}, home)).toEqual({
      config: {
        port: 8283,
        host: "127.0.0.1",
        database: join(home, ".memoir", "memoir.db"),
        durability: undefined,
        redis: undefined,
        encryptionKey: undefined,
        encryptionKeyOld: [],
        showSecrets: false,
        password: undefined,
        secure: false,
        insecure: false,
        rateLimit: undefined,
        requestTimeout: undefined,
        hosts: [],
        log: "warn",
        busy: "queue",
        approvalTimeout: undefined,
        clientToolTimeout: undefined,
        modelRequestTimeout: undefined,
        modelStreamTimeout: undefined,
        origins: [],
        defaultModel: undefined,
        fallbackModels: [],
        defaultEmbedding: undefined,
        discover: true,
        traceDays: undefined,
        maxReplySize: undefined,
        otlpEndpoint: undefined,
        telemetry: true,
        unsafeTools: false,
        toolTimeout: undefined,
        sandbox: undefined,
        pythonImage: undefined,
        nodeImage: undefined,
        toolEnvironments: undefined,
        toolBuilds: false,
        mcpStdio: "deny",
        mcpAllowPrivate: [],
        searxngUrl: undefined,
        fetchAllowPrivate: [],
        modelAllowPrivate: [],
        stepWebhook: undefined,
        stepWebhookVersion: "1",
        stepWebhookSecret: undefined,
      },
      warnings: [],
    });
  });

  test("every setting can be a flag", () => {
    const words =
      "--port=1 --host h --database d.db --durability normal --redis redis://r --encryption-key k --password p";
    const more =
      "--secure --insecure --log debug --busy reject --origins a,b --default-model m/m --default-embedding e/e";
    const mcp = "--mcp-stdio allow --mcp-allow-private x,y --discover off --trace-days 2";
    const told = "--otlp-endpoint http://localhost:4318 --telemetry off";
    const doors = "--rate-limit 60 --request-timeout 30 --hosts n,m --fallback-models f/f,g/g";
    const limits = "--model-request-timeout 90 --model-stream-timeout 900";
    const web = "--searxng-url http://localhost:8888 --fetch-allow-private w,v --model-allow-private u,t";
    const secrets = "--encryption-key-old o --show-secrets";
    const tools = "--sandbox docker --python-image p:1 --node-image n:1 --tool-environments /e --tool-builds";
    const { config } = read(`${words} ${more} ${mcp} ${web} ${doors} ${secrets} ${tools} ${told} ${limits}`.split(" "));
    expect(config).toMatchObject({
      port: 1,
      host: "h",
      database: "d.db",
      durability: "normal",
      redis: "redis://r",
      encryptionKey: "k",
      encryptionKeyOld: ["o"],
      showSecrets: true,
      password: "p",
      secure: true,
      insecure: true,
      log: "debug",
      busy: "reject",
      origins: ["a", "b"],
      defaultModel: "m/m",
      defaultEmbedding: "e/e",
      discover: false,
      traceDays: 2,
      modelRequestTimeout: 90,
      modelStreamTimeout: 900,
      otlpEndpoint: "http://localhost:4318",
      telemetry: false,
      mcpStdio: "allow",
      mcpAllowPrivate: ["x", "y"],
      searxngUrl: "http://localhost:8888",
      fetchAllowPrivate: ["w", "v"],
      modelAllowPrivate: ["u", "t"],
      rateLimit: 60,
      requestTimeout: 30,
      hosts: ["n", "m"],
      fallbackModels: ["f/f", "g/g"],
      sandbox: "docker",
      pythonImage: "p:1",
      nodeImage: "n:1",
      toolEnvironments: "/e",
      toolBuilds: true,
    });
  });

  test("an empty variable counts as not set, also beside an older name of the same", () => {
    const older = { OTEL_SDK_DISABLED: "true", MEMOIR_TELEMETRY: "", LETTA_REDIS_HOST: "cache", MEMOIR_REDIS: "" };
    expect(read([], older).config).toMatchObject({ telemetry: false, redis: "redis://cache:6379" });
    expect(read([], { MEMOIR_PORT: "", PORT: "9", MEMOIR_PASSWORD: "" }).config).toMatchObject({
      port: 9,
      password: undefined,
    });
  });

  test("the file can lie elsewhere, by flag or variable", () => {
    const place = join(makeHome(), "other.json");
    writeFileSync(place, JSON.stringify({ host: "::1", origins: ["https://a.example", "https://b.example"] }));
    const expected = { host: "::1", origins: ["https://a.example", "https://b.example"] };
    expect(read(["--config", place]).config).toMatchObject(expected);
    expect(read([], { MEMOIR_CONFIG: place }).config).toMatchObject(expected);
    expect(refusal(["--config", "/nowhere/at/all.json"])).toContain("/nowhere/at/all.json does not exist");
  });

  test("null in the file counts as not said", () => {
    expect(read([], {}, { password: null, database: null, port: null }).config).toMatchObject({
      password: undefined,
      database: expect.stringContaining("memoir.db"),
      port: 8283,
    });
  });
});

describe("names of the old server", () => {
  test.for<[name: string, value: string, setting: string, read: unknown]>([
    ["PORT", "9000", "port", 9000],
    ["LETTA_PG_URI", "postgresql+pg8000://letta:p@db:5432/letta", "database", "postgresql://letta:p@db:5432/letta"],
    ["LETTA_PG_URI", "postgres+asyncpg://db/letta", "database", "postgres://db/letta"],
    ["LETTA_PG_URI", "postgresql://db/letta", "database", "postgresql://db/letta"],
    ["LETTA_SERVER_PASSWORD", "p", "password", "p"],
    ["LETTA_SERVER_SECURE", "true", "secure", true],
    ["LETTA_SERVER_SECURE", "False", "secure", false],
    ["LETTA_ENCRYPTION_KEY", "k", "encryptionKey", "k"],
    ["LETTA_REDIS_HOST", "cache", "redis", "redis://cache:6379"],
    ["LETTA_DEFAULT_LLM_HANDLE", "openai/gpt-4o-mini", "defaultModel", "openai/gpt-4o-mini"],
    ["LETTA_DEFAULT_EMBEDDING_HANDLE", "openai/e", "defaultEmbedding", "openai/e"],
    [
      "ACCEPTABLE_ORIGINS",
      "https://a.example, https://b.example,",
      "origins",
      ["https://a.example", "https://b.example"],
    ],
    ["MCP_DISABLE_STDIO", "false", "mcpStdio", "allow"],
    ["MCP_DISABLE_STDIO", "true", "mcpStdio", "deny"],
  ])("%s=%s is understood", ([name, value, setting, expected]) => {
    const { config, warnings } = read([], { [name]: value });
    expect(config).toHaveProperty(setting, expected);
    expect(warnings).toEqual([]);
  });

  test("ours win where both are set", () => {
    const environment = {
      MEMOIR_DATABASE: "ours.db",
      LETTA_PG_URI: "postgresql://theirs/letta",
      MEMOIR_REDIS: "redis://ours",
      LETTA_REDIS_HOST: "theirs",
      LETTA_REDIS_PORT: "1",
    };
    expect(read([], environment).config).toMatchObject({ database: "ours.db", redis: "redis://ours" });
    expect(read([], { LETTA_REDIS_HOST: "h", LETTA_REDIS_PORT: "1" }).config.redis).toBe("redis://h:1");
  });
});

describe("a misspelling", () => {
  test("of a variable is a warning that guesses", () => {
    expect(read([], { MEMOIR_PROT: "1", MEMOIR_DATABSE: "x" }).warnings).toEqual([
      "MEMOIR_PROT is not a setting of Memoir; did you mean MEMOIR_PORT?",
      "MEMOIR_DATABSE is not a setting of Memoir; did you mean MEMOIR_DATABASE?",
    ]);
    expect(read([], { MEMOIR_SOMETHING_ELSE_ENTIRELY: "1" }).warnings).toEqual([
      "MEMOIR_SOMETHING_ELSE_ENTIRELY is not a setting of Memoir.",
    ]);
  });

  test("of a variable that is not ours, or that drives our tests, is nobody's business", () => {
    expect(read([], { LETTA_WHATEVER: "1", MEMOIR_TEST_SEED: "1", PATH: "/bin" }).warnings).toEqual([]);
  });

  test("of a flag is refused with a guess", () => {
    expect(refusal(["--prot", "1"])).toBe("unknown option --prot; did you mean --port?");
    expect(refusal(["--prot=1"])).toContain("did you mean --port?");
    expect(refusal(["--utterly-else"])).toContain("unknown option --utterly-else");
  });

  test("of a setting in the file is refused with a guess", () => {
    expect(refusal([], {}, { defaultmodel: "x" })).toContain(
      'unknown setting "defaultmodel"; did you mean "defaultModel"?',
    );
  });
});

describe("a bad value is refused in one sentence that names its place", () => {
  test.for<[what: string, flags: string[], environment: Environment, message: string]>([
    ["a port that is a word", [], { MEMOIR_PORT: "abc" }, 'MEMOIR_PORT must be a port from 0 to 65535, not "abc".'],
    ["a port too large", ["--port", "65536"], {}, '--port must be a port from 0 to 65535, not "65536".'],
    ["a port below zero", ["--port=-1"], {}, '--port must be a port from 0 to 65535, not "-1".'],
    ["a port with a fraction", ["--port", "80.5"], {}, '--port must be a port from 0 to 65535, not "80.5".'],
    ["a blank port", [], { PORT: " " }, 'PORT must be a port from 0 to 65535, not " ".'],
    ["a port in hexadecimal", [], { PORT: "0x50" }, 'PORT must be a port from 0 to 65535, not "0x50".'],
    [
      "a log level",
      [],
      { MEMOIR_LOG: "loud" },
      'MEMOIR_LOG must be one of debug, info, warn, error, silent, not "loud".',
    ],
    ["durability", ["--durability", "some"], {}, '--durability must be one of full, normal, not "some".'],
    [
      "a model timeout that is too short",
      [],
      { MEMOIR_MODEL_STREAM_TIMEOUT: "5" },
      'MEMOIR_MODEL_STREAM_TIMEOUT must be 10 seconds or more, not "5".',
    ],
    ["busy", [], { MEMOIR_BUSY: "drop" }, 'MEMOIR_BUSY must be one of queue, reject, not "drop".'],
    ["MCP programs", [], { MEMOIR_MCP_STDIO: "yes" }, 'MEMOIR_MCP_STDIO must be one of deny, allow, not "yes".'],
    [
      "a SearXNG without its scheme",
      [],
      { MEMOIR_SEARXNG_URL: "localhost:8888" },
      'MEMOIR_SEARXNG_URL must begin with http:// or https://, not "localhost:8888".',
    ],
    [
      "a database that Memoir cannot use",
      ["--database", "mysql://localhost/memoir"],
      {},
      "Memoir has no driver for mysql:// databases: give the path of a SQLite file, or a postgres:// address.",
    ],
    ["a blank database", ["--database", " "], {}, "--database must be a file path or a postgres:// address."],
    [
      "a misspelt switch",
      [],
      { LETTA_SERVER_SECURE: "ture" },
      'LETTA_SERVER_SECURE must be true or false, not "ture".',
    ],
  ])("%s", ([, flags, environment, message]) => {
    expect(refusal(flags, environment)).toBe(message);
  });

  test("a flag without its value, or a word too many", () => {
    expect(refusal(["--port"])).toContain("--port");
    expect(refusal(["now"])).toContain("now");
  });

  test("in the file", () => {
    expect(refusal([], {}, { port: "high" })).toBe(
      '"port" in the config file must be a port from 0 to 65535, not "high".',
    );
    expect(refusal([], {}, "{ nonsense")).toContain("is not valid JSON");
    expect(refusal([], {}, [1])).toContain("must hold one JSON object");
    expect(refusal([], {}, { host: { name: "x" } })).toContain('"host"');
  });
});

test("a database path may begin with the home folder", () => {
  const home = makeHome();
  expect(readConfig(["--database", "~/team.db"], {}, home).config.database).toBe(join(home, "team.db"));
  expect(read(["--database", "./~/x.db"]).config.database).toBe("./~/x.db");
});

test("a setting reaches the library and the app; an unset one is left to their defaults", () => {
  const unset = read([]).config;
  const database = unset.database;
  expect(toMemoirOptions(unset)).toEqual({
    database,
    formerKeys: [],
    fallbackModels: [],
    discoverLocal: true,
    unsafeTools: false,
    mcpPrograms: false,
    privateHosts: [],
    privateModelHosts: [],
  });
  expect(toAppOptions(unset)).toEqual({ showsSecrets: false, allowedOrigins: [], refusesBusy: false });
  const flags = "--trace-days 0 --max-reply-size 2 --approval-timeout 5 --client-tool-timeout 6 --durability normal";
  const models = "--model-request-timeout 11 --model-stream-timeout 12 --mcp-stdio allow --encryption-key k";
  const app = "--busy reject --rate-limit 9 --request-timeout 8 --origins https://a.example --show-secrets";
  const { config } = read(`${flags} ${models} ${app}`.split(" "));
  expect(toMemoirOptions(config)).toMatchObject({
    traceDays: 0,
    maxReplyBytes: 2 * 2 ** 20,
    approvalSeconds: 5,
    clientToolSeconds: 6,
    durability: "normal",
    modelRequestSeconds: 11,
    modelStreamSeconds: 12,
    mcpPrograms: true,
    encryptionKey: "k",
  });
  expect(toAppOptions(config)).toEqual({
    refusesBusy: true,
    rateLimit: 9,
    requestTimeout: 8,
    allowedOrigins: ["https://a.example"],
    showsSecrets: true,
  });
});

test("an address counts as this machine only if no other can reach it", () => {
  expect(["127.0.0.1", "127.8.8.8", "localhost", "::1"].map(isLoopback)).toEqual([true, true, true, true]);
  expect(["0.0.0.0", "::", "192.168.1.5", "localhost.example", "127.example"].map(isLoopback)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
