import { expect, test } from "vitest";
import { readConfig } from "./config/read-config.ts";
import { readComposioAccess, readWebAccess } from "./web-access.ts";

test("keys of search services come from the variables people have, and an empty one counts as not set", () => {
  const environment = {
    EXA_API_KEY: " exa-1 ",
    TAVILY_API_KEY: "",
    MEMOIR_SEARXNG_URL: "http://localhost:8888",
    MEMOIR_FETCH_ALLOW_PRIVATE: "Wiki.Corp,10.0.0.5",
  };
  const { config, warnings } = readConfig([], environment, "/nowhere");
  expect(warnings).toEqual([]);
  expect(readWebAccess(config, environment)).toEqual({
    exaKey: "exa-1",
    searxngUrl: "http://localhost:8888",
    pageHosts: ["wiki.corp", "10.0.0.5"],
  });
});

test("what is needed to reach Composio comes from its own variables", () => {
  expect(readComposioAccess({})).toEqual({});
  const environment = { COMPOSIO_API_KEY: " ak-1 ", COMPOSIO_ENTITY: "ada", COMPOSIO_BASE_URL: "" };
  expect(readComposioAccess(environment)).toEqual({ apiKey: "ak-1", entity: "ada" });
});
