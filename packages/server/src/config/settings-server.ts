/** Where the server listens, what it stores and what it logs. */
import { defaultOptions } from "@memoir/core";
import { oneOf, parseDatabase, parsePort, parseText } from "./parsers.ts";
import { defineSetting } from "./setting.ts";

const parseDurability = oneOf("full", "normal");

export const serverSettings = {
  port: defineSetting({
    variables: ["MEMOIR_PORT", "PORT"],
    help: "port to listen on",
    default: "8283",
    parse: parsePort,
  }),
  host: defineSetting({
    variables: ["MEMOIR_HOST"],
    help: "address to listen on",
    default: "127.0.0.1",
    parse: parseText,
  }),
  database: defineSetting({
    variables: ["MEMOIR_DATABASE", "LETTA_PG_URI"],
    help: "file path, or postgres://…",
    default: "~/.memoir/memoir.db",
    parse: parseDatabase,
    toMemoir: (database) => ({ database }),
  }),
  durability: defineSetting({
    variables: ["MEMOIR_DURABILITY"],
    help: "SQLite: full survives a power cut, normal a crash",
    libraryDefault: defaultOptions.durability,
    parse: parseDurability,
    toMemoir: (durability) => ({ durability }),
  }),
  redis: defineSetting({
    variables: ["MEMOIR_REDIS"],
    help: "redis://… shared by several servers [not used yet]",
    parse: parseText,
  }),
  log: defineSetting({
    variables: ["MEMOIR_LOG"],
    help: "debug, info, warn, error or silent",
    default: "warn",
    parse: oneOf("debug", "info", "warn", "error", "silent"),
  }),
};
