/** Turns the rows of a database into the worlds its clients should know. */
import { describe } from "./operations.ts";
import { foldHistories, type Rows } from "./rows.ts";
import { emptyWorld, type Ids, ownerOf, type World } from "./world.ts";

export type Observed = { worlds: Map<string, World>; ids: Map<string, Ids> };

export function observe(rows: Rows): Observed {
  const worlds = new Map<string, World>();
  const ids = new Map<string, Ids>();
  /** The world a thing belongs to, with its id noted there. */
  const worldOf = (name: string, id: string): World => {
    const owner = ownerOf(name);
    const world = worlds.get(owner) ?? emptyWorld();
    worlds.set(owner, world);
    ids.set(owner, (ids.get(owner) ?? new Map()).set(name, id));
    return world;
  };
  const histories = foldHistories(rows);
  for (const { id, label } of rows.block) worldOf(label, id).blocks[label] = histories.get(id)?.texts ?? [];
  const tags = Map.groupBy(rows.agent_tag, ({ agent_id }) => agent_id);
  const links = Map.groupBy(rows.agent_block, ({ agent_id }) => agent_id);
  for (const { id, name, description } of rows.agent) {
    const labels = (links.get(id) ?? []).map(({ label }) => label).sort();
    const found = (tags.get(id) ?? []).map(({ tag }) => tag).sort();
    worldOf(name, id).agents[name] = { token: toToken(description, found), labels };
  }
  const names = new Map(rows.agent.map(({ id, name }) => [id, name]));
  const agents = Map.groupBy(rows.agent_identity, ({ identity_id }) => identity_id);
  for (const { id, identifier_key: key, name, properties } of rows.identity) {
    const isWhole = JSON.parse(properties)[0]?.value === name;
    worldOf(key, id).identities[key] = {
      token: isWhole ? name : `${name} with ${properties}`,
      agents: (agents.get(id) ?? []).map(({ agent_id }) => names.get(agent_id) ?? agent_id).sort(),
    };
  }
  return { worlds, ids };
}

/** Description and tags are written together: if they do not fit, that shows as a token nobody knows. */
function toToken(description: string, tags: readonly string[]): string {
  return describe(description).tags.join() === tags.join() ? description : `${description} tagged ${tags}`;
}
