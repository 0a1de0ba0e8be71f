/** What a room may import, as a table, and a test that reads every import against it. */
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { describe, expect, test } from "vitest";
import { agentKinds } from "./shared/agent-kinds.ts";
import { isTest, parseSource, readSources, root, type SourceFile } from "./testing/sources.ts";
import { builtinTools } from "./tools/builtin/list.ts";

interface Room {
  /** The other rooms whose files this one may import; its own are always allowed. */
  readonly rooms: readonly string[];
  /** Packages of others; `node` stands for what comes with Node, node:sqlite excepted. */
  readonly packages?: readonly string[];
  /** Modules of which only types may be imported. */
  readonly types?: readonly string[];
}

const shared = "core/src/shared";
const network = "core/src/network";
const secrets = "core/src/secrets";
const threads = "core/src/threads";
const telemetry = "core/src/telemetry";
const store = "core/src/store";
const model = "core/src/model";
const memory = "core/src/memory";
const jobs = "core/src/jobs";
const tools = "core/src/tools";
const sandbox = "core/src/sandbox";
const runtime = "core/src/runtime.ts";
const loop = "core/src/loop";
const services = "core/src/services";
const options = "core/src/options.ts";
const serviceTable = "core/src/service-table.ts";
const serviceOwner = "core/src/service-owner.ts";
const compose = "core/src/compose.ts";
const memoir = "core/src/memoir.ts";
const node = ["node"];
const served = ["@memoir/core", "fastify", "zod"];
const wire = ["@memoir/server/wire"];
const telemetryPackages = [
  ...["api", "context-async-hooks", "core", "resources", "sdk-metrics", "sdk-trace"],
  ...["exporter-metrics-otlp-http", "exporter-metrics-otlp-proto"],
  ...["exporter-trace-otlp-http", "exporter-trace-otlp-proto"],
].map((name) => `@opentelemetry/${name}`);

const belowServices = [
  ...[shared, network, secrets, threads, telemetry, store, model, memory, jobs, tools, sandbox, runtime, loop],
];

/**
 * A folder with all that is in it, or a single file with rules of its own; of a package's `src` only the files that lie
 * there themselves, so that a new folder needs a row. A file belongs to the longest row that holds it.
 */
const rooms: Readonly<Record<string, Room>> = {
  [shared]: { rooms: [], packages: node },
  [network]: { rooms: [shared], packages: node },
  [secrets]: { rooms: [shared], packages: node },
  [threads]: { rooms: [shared], packages: node },
  [telemetry]: { rooms: [shared], packages: ["@opentelemetry/api"] },
  [store]: { rooms: [shared, threads], packages: [...node, "node:sqlite", "kysely", "pg"] },
  [model]: { rooms: [shared, network, telemetry], packages: [...node, "@ai-sdk/anthropic", "@ai-sdk/openai"] },
  [memory]: { rooms: [shared, store, model], packages: [...node, "gpt-tokenizer"] },
  [jobs]: { rooms: [shared, network, store], packages: node },
  [tools]: {
    rooms: [shared, network, threads, store, model, memory],
    packages: [...node, "@composio/core", "ajv", "web-tree-sitter"],
  },
  [sandbox]: { rooms: [shared, network, threads], packages: [...node, "e2b"] },
  // Runs on other threads; no file imports it.
  "core/src/threads/thread-main.ts": { rooms: [shared, threads, tools, sandbox], packages: node },
  [runtime]: { rooms: [shared, secrets, telemetry, store] },
  [loop]: { rooms: [shared, threads, telemetry, store, model, memory, jobs, tools, runtime], packages: node },
  [services]: { rooms: belowServices, packages: node },
  [options]: { rooms: [...belowServices, services] },
  [serviceTable]: { rooms: [jobs, tools, runtime, loop, services] },
  [serviceOwner]: { rooms: [serviceTable] },
  [compose]: { rooms: [...belowServices, services, options, serviceTable] },
  [memoir]: { rooms: [shared, store, options, serviceTable, serviceOwner, compose] },
  "core/src/index.ts": { rooms: [...belowServices, services, options, memoir] },
  // No other row names this one: only tests import it.
  "core/src/testing": {
    rooms: [...belowServices, services, options, memoir, "core/src/index.ts"],
    packages: [...node, "node:sqlite", "kysely", "pg", "vitest", "rolldown", "scslre"],
  },
  "server/src": {
    rooms: ["config", "letta", "memoir", "openai", "telemetry"].map((name) => `server/src/${name}`),
    packages: [...node, ...served, "@fastify/cors", "@fastify/static", "pino"],
  },
  "server/src/config": { rooms: ["server/src"], packages: [...node, "@memoir/core"] },
  "server/src/letta": { rooms: ["server/src", "server/src/config"], packages: served },
  "server/src/memoir": { rooms: ["server/src", "server/src/letta"], packages: served },
  "server/src/openai": { rooms: ["server/src", "server/src/letta"], packages: [...node, ...served] },
  "server/src/telemetry": {
    rooms: ["server/src", "server/src/config"],
    packages: [...node, "@memoir/core", "fastify", ...telemetryPackages],
  },
  // Only tests import this one too.
  "server/src/testing": {
    rooms: ["server/src", "server/src/config"],
    packages: [...node, "@memoir/core", "pino", "vitest", "zod"],
  },
  "cli/src": { rooms: ["cli/src/commands"], packages: [...node, "@memoir/core", "@memoir/server"] },
  "cli/src/commands": { rooms: ["cli/src"], packages: [...node, "@memoir/core", "@memoir/server"] },
  "web/src": { rooms: ["web/src/features"], packages: ["react", "react-dom"] },
  "web/src/features": { rooms: ["web/src/ui", "web/src/api"], packages: ["react"], types: wire },
  "web/src/ui": { rooms: [], packages: ["react"] },
  "web/src/api": { rooms: [], types: wire },
};

/** Topics of a room, lowest first: a file imports topics of its own row and of lower ones. Files beside the folders import all. */
const ranks: Readonly<Record<string, readonly (readonly string[])[]>> = {
  [store]: [["engine"], ["access", "agents", "archives", "blocks", "conversations", "files", "runs", "tools"]],
  [services]: [
    ["offline"],
    ["secrets"],
    ["models"],
    ["archives", "blocks"],
    ["agent-view"],
    ["runs"],
    ["conversations"],
    ["messages"],
    ["approvals"],
    ["mcp", "sandboxes"],
    ["tools"],
    ["files"],
    ["agents"],
    ["agent-files"],
    ["access"],
  ],
};

/** Words of the old server are user data in core: agents' kinds, tools' names. */
const dataWords: ReadonlySet<string> = new Set([...agentKinds, ...builtinTools.map(({ name }) => name)]);

/** Outside server/src/letta they stand only where a caller's own words are read, or where a text names the old server. */
const serverWords: Readonly<Record<string, RegExp>> = {
  "packages/server/src/app.ts": /^https?:\/\/(letta\.localhost|app\.letta\.com)$/, // pages that may call us
  "packages/server/src/caller.ts": /^(@letta-ai|letta-client)$/, // the clients' own names for themselves
  "packages/server/src/config/": /^LETTA_[A-Z_]+$/, // environments written for it
  "packages/server/src/openapi.ts": /^Letta$/, // the document's description
};

describe("the house", () => {
  const sources = ["core", "server", "cli", "web"].flatMap((name) => readSources(`packages/${name}/src`));

  test("every room of the table is there", () => {
    expect(listMissingRooms(rooms)).toEqual([]);
  });

  test("every package has files to read", () => {
    for (const name of ["core", "server", "cli", "web"]) {
      expect(sources.filter(({ path }) => path.startsWith(`packages/${name}/`)).length, name).toBeGreaterThan(3);
    }
  });

  test("no file imports what its room may not", () => {
    expect(sources.flatMap(listForbiddenImports)).toEqual([]);
  });

  test("no file imports itself by a detour, types included", () => {
    expect(listCycles(sources)).toEqual([]);
  });

  test("core reads no environment: whoever embeds it decides", () => {
    expect(sources.flatMap(listEnvironmentReads)).toEqual([]);
  });

  test("the old server's words stay where its wire is spoken", () => {
    expect(sources.flatMap(listForeignWords)).toEqual([]);
  });

  test("exports have names", () => {
    expect(sources.filter(({ hasDefaultExport }) => hasDefaultExport).map(({ path }) => path)).toEqual([]);
  });
});

describe("what the checks catch", () => {
  const forbidden = (path: string, text: string) => listForbiddenImports(parseSource(`packages/${path}`, text));

  test.for([
    `import { Store } from "../store/store.ts";`,
    `import type { Store } from "../store/store.ts";`,
    `import { type Store } from "../store/store.ts";`,
    `import "../store/store.ts";`,
    `export { Store } from "../store/store.ts";`,
    `export * from "../store/store.ts";`,
    `const { Store } = await import("../store/store.ts");`,
    "const { Store } = await import(`../store/store.ts`);",
    `type Store = import("../store/store.ts").Store;`,
    `const { Store } = require("../store/store.ts");`,
  ])("an import upstairs: %s", (text) => {
    expect(forbidden("core/src/model/new.ts", text)).toEqual([
      "packages/core/src/model/new.ts imports ../store/store.ts: core/src/model may not import core/src/store",
    ]);
    expect(forbidden("core/src/memory/new.ts", text)).toEqual([]);
    expect(forbidden("core/src/model/new.ts", `// ${text}`)).toEqual([]);
  });

  test.for([
    ["core/src/shared/clock.ts", `import "../store/engine/store.ts";`],
    ["core/src/attic/new.ts", `import "../shared/clock.ts";`],
    ["core/src/attic/new.ts", `import "node:fs";`],
    ["core/src/store/new.ts", `import "../attic/new.ts";`],
    ["core/src/shared/clock.ts", `import "../memoir.ts";`],
    ["core/src/runtime.ts", `import "./services/agents/agents.ts";`],
    ["core/src/store/new.ts", `import "../memory/compile.ts";`],
    ["core/src/jobs/new.ts", `import "../loop/loop.ts";`],
    ["core/src/tools/new.ts", `import "../loop/loop.ts";`],
    ["core/src/loop/new.ts", `import "../services/agents/agents.ts";`],
    ["core/src/services/new.ts", `import "../memoir.ts";`],
    ["core/src/services/new.ts", `import "../compose.ts";`],
    ["core/src/memoir.ts", `import "./services/agents/agents.ts";`],
    ["core/src/services/new.ts", `import "../testing/databases.ts";`],
    ["core/src/services/new.ts", `import "./agents/agents.test.ts";`],
    ["core/src/services/blocks/new.ts", `import "../agents/agents.ts";`],
    ["core/src/services/attic/new.ts", `import "../blocks/blocks.ts";`],
    ["core/src/store/engine/new.ts", `import "../blocks/blocks.ts";`],
    ["core/src/store/blocks/new.ts", `import "../system.ts";`],
    ["core/src/services/new.ts", `import { sql } from "kysely";`],
    ["core/src/memory/new.ts", `import type { Pool } from "pg";`],
    ["core/src/model/new.ts", `import "node:sqlite";`],
    ["core/src/loop/new.ts", `import "fastify";`],
    ["core/src/loop/new.ts", `import "react";`],
    ["core/src/loop/new.ts", `import "fs";`],
    ["core/src/loop/new.ts", `import "./loop";`],
    ["core/src/loop/new.ts", `import "./loop.js";`],
    ["core/src/loop/new.ts", "await import(name);"],
    ["core/src/loop/new.ts", `import "@memoir/server";`],
    ["server/src/new.ts", `import "../../core/src/index.ts";`],
    ["server/src/new.ts", `import "@memoir/core/src/store/engine/store.ts";`],
    ["server/src/letta/new.ts", `import "../memoir/status.ts";`],
    ["cli/src/new.ts", `import "fastify";`],
    ["cli/src/new.ts", `import "@memoir/server/wire";`],
    ["web/src/api/new.ts", `import { BlockWire } from "@memoir/server/wire";`],
    ["web/src/api/new.ts", `import type { Memoir } from "@memoir/core";`],
    ["web/src/api/new.ts", `import type { ServerConfig } from "@memoir/server";`],
    ["web/src/ui/new.ts", `import "../api/status.ts";`],
  ] as const)("%s with %s", ([path, text]) => {
    expect(forbidden(path, text)).toHaveLength(1);
  });

  test("types of the wire may reach the page", () => {
    expect(forbidden("web/src/api/new.ts", `import type { BlockWire } from "@memoir/server/wire";`)).toEqual([]);
    expect(forbidden("web/src/api/new.ts", `import { type BlockWire } from "@memoir/server/wire";`)).toEqual([]);
  });

  test("a circle of three, closed by a type", () => {
    const files = { a: "b", b: "c", c: "a", d: "a" };
    const sources = Object.entries(files).map(([name, next]) =>
      parseSource(`packages/core/src/${name}.ts`, `import type { X } from "./${next}.ts";`),
    );
    expect(listCycles(sources)).toEqual([
      ["a", "b", "c", "a"].map((name) => `packages/core/src/${name}.ts`).join(" → "),
    ]);
  });

  test.for(["process.env.HOME", `process["env"]`, "const { env } = process", `import { env } from "node:process"`])(
    "the environment by %s",
    (text) => {
      expect(listEnvironmentReads(parseSource("packages/core/src/new.ts", text))).toHaveLength(1);
      expect(listEnvironmentReads(parseSource("packages/core/src/new.ts", `// ${text}`))).toEqual([]);
      expect(listEnvironmentReads(parseSource("packages/core/src/testing/new.ts", text))).toEqual([]);
    },
  );

  test("words of the old server, in code and not in comments", () => {
    const words = (path: string, text: string) => listForeignWords(parseSource(`packages/${path}`, text));
    expect(words("core/src/new.ts", `const lettaClient = "a"`)).toHaveLength(1);
    expect(words("core/src/new.ts", `const kind = "letta_v2_agent"`)).toHaveLength(1);
    expect(words("core/src/new.ts", `const kind = "letta_v1_agent"; // as Letta calls it`)).toEqual([]);
    expect(words("server/src/letta/new.ts", "const lettaClient = 1")).toEqual([]);
    expect(words("server/src/new.ts", `import { x } from "./letta/agents/routes.ts"`)).toEqual([]);
    expect(words("server/src/new.ts", `const header = "x-letta-user"`)).toHaveLength(1);
    expect(words("server/src/config/new.ts", `const names = ["LETTA_PG_URI", "lettaPort"]`)).toHaveLength(1);
  });

  test("an export without a name", () => {
    expect(parseSource("packages/core/src/new.ts", "export default 1").hasDefaultExport).toBe(true);
    expect(parseSource("packages/core/src/new.ts", "const a = 1; export { a as default }").hasDefaultExport).toBe(true);
    expect(parseSource("packages/core/src/new.ts", `export { default } from "./a.ts"`).hasDefaultExport).toBe(true);
    expect(parseSource("packages/core/src/new.ts", "export const a = 1").hasDefaultExport).toBe(false);
  });

  test("a row for a room that is gone", () => {
    expect(listMissingRooms({ ...rooms, "core/src/attic": { rooms: [] } })).toEqual(["core/src/attic"]);
    const pointsNowhere = { "core/src/store": { rooms: ["core/src/cellar"] } };
    expect(listMissingRooms(pointsNowhere)).toEqual(["core/src/cellar"]);
  });
});

function listMissingRooms(table: typeof rooms): string[] {
  const named = new Set([...Object.keys(table), ...Object.values(table).flatMap((room) => room.rooms)]);
  return [...named].filter((room) => !(room in table) || !existsSync(join(root, "packages", room)));
}

/** The row of the table that a file falls under. */
function roomOf(path: string): string | undefined {
  const inPackages = path.replace(/^packages\//, "");
  return Object.keys(rooms)
    .filter((room) => inPackages === room || isInside(inPackages, room))
    .sort((left, right) => right.length - left.length)[0];
}

function isInside(path: string, room: string): boolean {
  return room.endsWith("/src") ? dirname(path) === room : path.startsWith(`${room}/`);
}

function listForbiddenImports(source: SourceFile): string[] {
  return source.imports.flatMap(({ specifier, isType }) => {
    const problem =
      specifier === undefined
        ? "what it imports is known only when it runs"
        : /^\.{1,2}\//.test(specifier)
          ? objectToFile(source.path, specifier)
          : objectToModule(source.path, specifier, isType);
    return problem ? [`${source.path} imports ${specifier ?? "…"}: ${problem}`] : [];
  });
}

function objectToFile(path: string, specifier: string): string | undefined {
  const target = resolveFile(path, specifier);
  if (path.startsWith("packages/web/") && specifier.endsWith(".css")) return undefined;
  if (!/\.tsx?$/.test(specifier)) return "imports end in .ts or .tsx";
  if (isTest(target)) return "a test is no part of the program";
  const [from, to] = [roomOf(path), roomOf(target)];
  if (from === undefined || to === undefined) return "no row of the table holds it";
  if (from === to) return objectToRank(from, path, target);
  if (rooms[from]?.rooms.includes(to)) return undefined;
  return `${from} may not import ${to}`;
}

function objectToRank(room: string, path: string, target: string): string | undefined {
  const order = ranks[room];
  const [from, to] = [topicOf(room, path), topicOf(room, target)];
  if (!order || from === undefined) return undefined;
  if (to === undefined) return `${from} may not import files beside the folders of ${room}`;
  const [own, other] = [from, to].map((topic) => order.findIndex((row) => row.includes(topic)));
  if (own === undefined || other === undefined || own < 0 || other < 0)
    return `no rank of ${room} names ${from} or ${to}`;
  return other > own ? `${from} may not import ${to}, which ranks above it` : undefined;
}

/** Undefined for a file that lies in the room itself. */
function topicOf(room: string, path: string): string | undefined {
  const inRoom = path.slice(`packages/${room}/`.length);
  return inRoom.includes("/") ? inRoom.slice(0, inRoom.indexOf("/")) : undefined;
}

function objectToModule(path: string, specifier: string, isType: boolean): string | undefined {
  const room = roomOf(path);
  if (room === undefined) return "no row of the table holds it";
  const { packages = [], types = [] } = rooms[room] ?? {};
  if (packages.includes(packageOf(specifier)) || (isType && types.includes(specifier))) return undefined;
  return `${room} may not import ${packageOf(specifier)}`;
}

/** Our own packages count with their path: what is not an entry of theirs is no business of others. */
function packageOf(specifier: string): string {
  if (specifier.startsWith("@memoir/") || specifier === "node:sqlite") return specifier;
  if (specifier.startsWith("node:")) return "node";
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function resolveFile(path: string, specifier: string): string {
  return normalize(join(dirname(path), specifier));
}

/** Each circle once, from its first file to the same file again. */
function listCycles(sources: readonly SourceFile[]): string[] {
  const known = new Set(sources.map(({ path }) => path));
  const targets = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.flatMap(({ specifier }) => (specifier?.startsWith(".") ? [resolveFile(path, specifier)] : [])),
    ]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(" → "));
    if (start >= 0 || done.has(path) || !known.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of known) visit(path, []);
  return cycles;
}

function listEnvironmentReads({ path, code, imports }: SourceFile): string[] {
  if (!path.startsWith("packages/core/src/") || roomOf(path) === "core/src/testing") return [];
  const isRead = /\bprocess\s*(\?\.|\.|\[\s*["'`])\s*env\b|\benv\b[^}]*\}\s*=\s*process\b/.test(code);
  return isRead || imports.some(({ specifier }) => specifier === "node:process") ? [`${path} reads process.env`] : [];
}

function isServerWord(path: string, word: string): boolean {
  return Object.entries(serverWords).some(([place, words]) => path.startsWith(place) && words.test(word));
}

function listForeignWords({ path, code, imports }: SourceFile): string[] {
  const isAllowed = path.startsWith("packages/core/src/")
    ? (word: string) => dataWords.has(word)
    : path.startsWith("packages/server/src/") && !path.startsWith("packages/server/src/letta/")
      ? (word: string) => isServerWord(path, word) || imports.some(({ specifier }) => specifier === word)
      : () => true;
  const words = code.match(/[\w@./:-]*letta([\w@./:-]*\w)?/gi) ?? [];
  return words.filter((word) => !isAllowed(word)).map((word) => `${path} says ${word}`);
}
