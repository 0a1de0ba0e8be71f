/** The access table of the whole API, so that a change of who may call what shows in review. */
import { Memoir } from "@memoir/core";
import { expect, test } from "vitest";
import { keyScopes, type Route } from "./route.ts";
import { listRoutes } from "./route-list.ts";

const routes = listRoutes({ memoir: new Memoir({ database: ":memory:" }), findProviders: async () => [] });

test("who may call which operation, and with which key, is as reviewed", async () => {
  const lines = routes.map(({ access, scope, method, path }) => `${access} ${scope} ${method} ${path}`).sort();
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("__fixtures__/route-access.txt");
});

test("an operation for keys of one agent names that agent in its path, or in its model", () => {
  const named = keyScopes.filter((scope) => !["none", "agent-list", "model"].includes(scope));
  const unnamed = routes.filter(({ scope, path }) => named.includes(scope) && !path.includes(`{${scope}_id}`));
  expect(unnamed.map(describe)).toEqual([]);
  const models = routes.filter(({ scope }) => scope === "model");
  expect(models.filter(({ path, body }) => !path.includes("{model}") && !body).map(describe)).toEqual([]);
});

test("keys of one agent or conversation reach nothing that is for owners, or open", () => {
  const mixed = routes.filter(({ access, scope }) => scope !== "none" && access !== "read" && access !== "member");
  expect(mixed.map(describe)).toEqual([]);
});

test("readers may make every GET that is not for owners or the administrator", () => {
  expect(routes.filter(({ method, access }) => method === "GET" && access === "member").map(describe)).toEqual([]);
});

function describe({ method, path }: Route): string {
  return `${method} ${path}`;
}
