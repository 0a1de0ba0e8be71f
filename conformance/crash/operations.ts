/** The requests a client can make, and what each does to its world once it is acknowledged. */
import type { Random } from "./random.ts";
import type { Ids, World } from "./world.ts";

export type Operation = {
  method: "POST" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  /** What the request changes, all of it or nothing. */
  apply(world: World): void;
};

/** Who asks. `serial` numbers everything it makes. */
export type Author = { name: string; world: World; ids: Ids; random: Random; serial: number };

type Maker = (author: Author) => Operation | undefined;

/** Drawn evenly; a maker that has nothing to work on passes. Deleting keeps worlds small, so checks stay fast. */
const makers: readonly Maker[] = [
  createAgent,
  createAgent,
  updateAgent,
  updateAgent,
  updateBlock,
  updateBlock,
  updateBlock,
  createBlock,
  attachBlock,
  attachBlock,
  detachBlock,
  createIdentity,
  deleteAgent,
  deleteBlock,
  deleteBlock,
  deleteIdentity,
];
const most = { agents: 8, blocks: 16, identities: 4 };

export function nextOperation(author: Author): Operation {
  for (;;) {
    const operation = author.random.pick(makers)?.(author);
    if (operation) return operation;
  }
}

/** The model is never called: no provider is configured. */
export const MODEL = "openai/gpt-4o-mini";

function createAgent(author: Author): Operation | undefined {
  if (count(author.world.agents) >= most.agents) return undefined;
  const name = makeName(author, "a");
  const token = makeName(author, "t");
  const texts = Object.fromEntries(["b", "b"].map((kind) => [makeName(author, kind), makeName(author, "t")]));
  return {
    method: "POST",
    path: "/v1/agents/",
    body: {
      name,
      model: MODEL,
      ...describe(token),
      memory_blocks: Object.entries(texts).map(([label, value]) => ({ label, value })),
    },
    apply({ agents, blocks }) {
      agents[name] = { token, labels: Object.keys(texts).sort() };
      for (const [label, text] of Object.entries(texts)) blocks[label] = [text];
    },
  };
}

function updateAgent(author: Author): Operation | undefined {
  const name = pickName(author, author.world.agents);
  if (!name) return undefined;
  const token = makeName(author, "t");
  return {
    method: "PATCH",
    path: `/v1/agents/${author.ids.get(name)}`,
    body: describe(token),
    apply({ agents }) {
      agents[name] = { labels: agents[name]?.labels ?? [], token };
    },
  };
}

export function describe(token: string): { description: string; tags: string[] } {
  return { description: token, tags: [`${token} one`, `${token} two`] };
}

function updateBlock(author: Author): Operation | undefined {
  const label = pickName(author, author.world.blocks);
  const before = label && author.world.blocks[label]?.at(-1);
  if (before === undefined || before === "") return undefined;
  const value = editLines(author.random, before, makeName(author, "t"));
  return {
    method: "PATCH",
    path: `/v1/blocks/${author.ids.get(label ?? "")}`,
    body: { value },
    apply: ({ blocks }) => void blocks[label ?? ""]?.push(value),
  };
}

/** Versions are kept as differences of lines: the new line goes anywhere, and sometimes others go. */
function editLines(random: Random, text: string, line: string): string {
  const lines = text.split("\n");
  const at = random.between(0, lines.length);
  return lines.toSpliced(at, random.between(0, lines.length > 6 ? 4 : 1), line).join("\n");
}

function createBlock(author: Author): Operation | undefined {
  if (count(author.world.blocks) >= most.blocks) return undefined;
  const [label, value] = [makeName(author, "b"), makeName(author, "t")];
  return {
    method: "POST",
    path: "/v1/blocks/",
    body: { label, value },
    apply({ blocks }) {
      blocks[label] = [value];
    },
  };
}

function attachBlock(author: Author): Operation | undefined {
  const [agent, label] = [pickName(author, author.world.agents), pickName(author, author.world.blocks)];
  if (!agent || !label || author.world.agents[agent]?.labels.includes(label)) return undefined;
  return {
    method: "PATCH",
    path: `/v1/agents/${author.ids.get(agent)}/core-memory/blocks/attach/${author.ids.get(label)}`,
    apply({ agents }) {
      agents[agent]?.labels.push(label);
      agents[agent]?.labels.sort();
    },
  };
}

function detachBlock(author: Author): Operation | undefined {
  const agent = pickName(author, author.world.agents);
  const label = author.random.pick(author.world.agents[agent ?? ""]?.labels ?? []);
  if (!agent || !label) return undefined;
  return {
    method: "PATCH",
    path: `/v1/agents/${author.ids.get(agent)}/core-memory/blocks/detach/${author.ids.get(label)}`,
    apply: ({ agents }) => removeFrom(agents[agent]?.labels, label),
  };
}

function createIdentity(author: Author): Operation | undefined {
  const agent = pickName(author, author.world.agents);
  if (!agent || count(author.world.identities) >= most.identities) return undefined;
  const [key, token] = [makeName(author, "i"), makeName(author, "t")];
  return {
    method: "POST",
    path: "/v1/identities/",
    body: {
      identifier_key: key,
      name: token,
      identity_type: "user",
      properties: [{ key: "token", value: token, type: "string" }],
      agent_ids: [author.ids.get(agent)],
    },
    apply({ identities }) {
      identities[key] = { token, agents: [agent] };
    },
  };
}

function deleteAgent(author: Author): Operation | undefined {
  const name = pickName(author, author.world.agents);
  if (!name || count(author.world.agents) < most.agents) return undefined;
  return {
    method: "DELETE",
    path: `/v1/agents/${author.ids.get(name)}`,
    apply({ agents, identities }) {
      delete agents[name];
      for (const identity of Object.values(identities)) removeFrom(identity.agents, name);
    },
  };
}

function deleteBlock(author: Author): Operation | undefined {
  const label = pickName(author, author.world.blocks);
  if (!label || count(author.world.blocks) < most.blocks) return undefined;
  return {
    method: "DELETE",
    path: `/v1/blocks/${author.ids.get(label)}`,
    apply({ agents, blocks }) {
      delete blocks[label];
      for (const agent of Object.values(agents)) removeFrom(agent.labels, label);
    },
  };
}

function deleteIdentity(author: Author): Operation | undefined {
  const key = pickName(author, author.world.identities);
  if (!key || count(author.world.identities) < most.identities) return undefined;
  return {
    method: "DELETE",
    path: `/v1/identities/${author.ids.get(key)}`,
    apply: ({ identities }) => void delete identities[key],
  };
}

function makeName(author: Author, kind: string): string {
  author.serial++;
  return `${author.name}-${kind}${author.serial}`;
}

function pickName(author: Author, things: Readonly<Record<string, unknown>>): string | undefined {
  return author.random.pick(Object.keys(things));
}

function count(things: object): number {
  return Object.keys(things).length;
}

function removeFrom(items: string[] | undefined, item: string): void {
  const index = items?.indexOf(item) ?? -1;
  if (index >= 0) items?.splice(index, 1);
}
