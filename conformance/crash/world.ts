/**
 * What one client knows it has made. A client touches only its own things (their names start with its name), so after a
 * crash the database holds its world exactly, or its world with the one request that was under way.
 */
import { isDeepStrictEqual } from "node:util";

export type World = {
  /** By name. The token stands in the description and in both tags, which one request writes together. */
  agents: Record<string, { token: string; labels: string[] }>;
  /** By label: every text the block has had, oldest first. */
  blocks: Record<string, string[]>;
  /** By key. The token stands in the name and in a property. */
  identities: Record<string, { token: string; agents: string[] }>;
};

/** The server's ids of these things, by name, label or key. */
export type Ids = Map<string, string>;

export function emptyWorld(): World {
  return { agents: {}, blocks: {}, identities: {} };
}

/** Client "c03" owns "c03-a12"; what has no client's name is shared. */
export function ownerOf(name: string): string {
  return name.split("-")[0] ?? name;
}

/** Where two worlds differ, in words; nothing where they are the same. */
export function compareWorlds(expected: World, found: World): string[] {
  return (["agents", "blocks", "identities"] as const).flatMap((kind) => {
    const [wanted, there]: Record<string, unknown>[] = [expected[kind], found[kind]];
    const names = new Set([...Object.keys(wanted ?? {}), ...Object.keys(there ?? {})]);
    return [...names]
      .filter((name) => !isDeepStrictEqual(wanted?.[name], there?.[name]))
      .map((name) => `${kind} ${name}: expected ${show(wanted?.[name])}, found ${show(there?.[name])}`);
  });
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 300 ? `…${text.slice(-300)}` : text;
}
