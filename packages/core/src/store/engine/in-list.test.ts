import { expect, test } from "vitest";
import { dialects } from "../../testing/databases.ts";
import { openWorld } from "../../testing/worlds.ts";
import { toolEntity } from "../tools/tools.ts";
import { findByIds } from "./entity.ts";

test.for(dialects)("%s: a list of ids may be longer than a statement has room for", async (dialect, context) => {
  const { memoir, actor, scope, createAgent } = await openWorld(dialect, context);
  const { tools } = await createAgent({});
  const [tool] = tools ?? [];
  const unknown = Array.from({ length: 70_000 }, (_, index) => `tool-${index}`);
  const found = await findByIds(scope, toolEntity, [...unknown, tool?.id ?? ""]);
  expect(found.map(({ id }) => id)).toEqual([tool?.id]);
  expect(await findByIds(scope, toolEntity, [])).toEqual([]);
  expect(await memoir.agents.count(actor, {})).toBe(1);
});
