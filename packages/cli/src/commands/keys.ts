/** `memoir keys`: makes, lists and revokes the keys with which others may use this server. */
import { parseArgs } from "node:util";
import {
  type ApiKey,
  defaultOrgId,
  defaultUserId,
  type KeyRole,
  type KeyService,
  MemoirError,
  manageKeys,
} from "@memoir/core";
import { readConfig } from "@memoir/server";
import type { Command } from "../command.ts";

const me = { orgId: defaultOrgId, userId: defaultUserId };
const page = { limit: 1_000, order: "asc" } as const;

export const keys: Command = {
  name: "keys",
  summary: "make, list and revoke keys for others to use the server with",
  help: `memoir keys: who may use this server from elsewhere.

  memoir keys create NAME     make a key and show it, this once
  memoir keys list            all keys, with their roles and last use
  memoir keys revoke KEY_ID   from the next request on it opens nothing

  --role …           owner manages keys and providers, member works with everything
                     else, reader only looks (member)
  --agent …          the key reaches this agent only
  --conversation …   the key reaches this conversation only
  --allow-overrides  a key for one agent or conversation may replace the agent's
                     instructions, model and tools for a message
  --days …           the key expires after so many days
  --database …       as for memoir serve

Callers send it as Authorization: Bearer mk-… A server that listens beyond this
machine needs a password or a key; one on this machine lets anyone in who is on it.`,
  run: runKeys,
};

async function runKeys(words: readonly string[]): Promise<number> {
  const [verb = "list", ...rest] = words;
  const run = verbs[verb];
  if (!run) throw new MemoirError("invalid-argument", `there is no "keys ${verb}": use create, list or revoke`);
  const { values, positionals } = readWords(rest);
  const settings = values.database === undefined ? [] : ["--database", values.database];
  const { config } = readConfig(settings, process.env);
  const { database, durability } = config;
  console.log(await manageKeys({ database, durability }, (service) => run(service, positionals, values)));
  return 0;
}

interface Values {
  readonly role?: string;
  readonly agent?: string;
  readonly conversation?: string;
  readonly days?: string;
  readonly "allow-overrides"?: boolean;
  readonly database?: string;
}

type Verb = (service: KeyService, names: readonly string[], values: Values) => Promise<string>;

const verbs: Readonly<Record<string, Verb>> = {
  create: async (service, [name], { role, agent, conversation, days, "allow-overrides": mayOverride }) => {
    if (name === undefined) throw new MemoirError("invalid-argument", "give the key a name: memoir keys create NAME");
    const { key, secret } = await service.create(me, {
      name,
      role: role as KeyRole | undefined,
      agentId: agent,
      conversationId: conversation,
      mayOverride,
      expiresAt: days === undefined ? undefined : inDays(days),
    });
    return `${secret}\n\nThis is the only time it is shown. ${describe(key)}`;
  },
  list: async (service) => {
    const all = await service.list(me, page);
    return all.length === 0 ? "There are no keys. Make one: memoir keys create NAME" : all.map(describe).join("\n");
  },
  revoke: async (service, [id]) => {
    if (id === undefined) throw new MemoirError("invalid-argument", "name the key: memoir keys revoke key-…");
    return `Revoked: ${describe(await service.revoke(me, id))}`;
  },
};

function inDays(text: string): number {
  const days = Number(text);
  if (!(days > 0)) throw new MemoirError("invalid-argument", `--days must be a number above 0, not "${text}"`);
  return (Date.now() + days * 86_400_000) * 1000;
}

function describe(key: ApiKey): string {
  const { id, name, role, agentId, conversationId, mayOverride, expiresAt, revokedAt, lastUsedAt } = key;
  const facts = [
    role,
    ...(conversationId ? [`for ${conversationId}`] : agentId ? [`for ${agentId}`] : []),
    ...(agentId !== null && mayOverride ? ["may override"] : []),
    ...(revokedAt !== null ? [`revoked ${day(revokedAt)}`] : []),
    ...(expiresAt !== null ? [`until ${day(expiresAt)}`] : []),
    lastUsedAt === null ? "never used" : `last used ${day(lastUsedAt)}`,
  ];
  return `${id}  ${name}  (${facts.join(", ")})`;
}

function day(micros: number): string {
  return new Date(micros / 1000).toISOString().slice(0, 10);
}

function readWords(words: readonly string[]): { values: Values; positionals: string[] } {
  const text = { type: "string" } as const;
  const options = {
    role: text,
    agent: text,
    conversation: text,
    days: text,
    "allow-overrides": { type: "boolean" },
    database: text,
  } as const;
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    throw new MemoirError("invalid-argument", error instanceof Error ? error.message : String(error));
  }
}
