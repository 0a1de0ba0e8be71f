/** No regular expression of the source takes more than linear time, but for those whose text is known to be short. */
import { expect, test } from "vitest";
import { findSlowness, listBuiltPatterns, listPatterns } from "./testing/patterns.ts";
import { readSources } from "./testing/sources.ts";

const sources = ["cli", "core", "server", "web"]
  .flatMap((name) => readSources(`packages/${name}/src`))
  .filter(({ path }) => !path.includes("/testing/"));

/** Files with patterns that are slow on a text which they never get, and why they do not get it. */
const allowed: Readonly<Record<string, string>> = {
  "packages/core/src/tools/source/python/faults.ts": "findUnclosed returns at the first quote that nothing closes",
  "packages/core/src/tools/source/typescript/describe.ts":
    "findUnclosed returns at the first quote that nothing closes",
  "packages/server/src/detect-providers.ts": "an environment variable of the operator",
  "packages/server/src/telemetry/settings.ts": "an environment variable of the operator",
};

/** Files that build patterns at run time, which cannot be judged here, and what they put in. */
const built: Readonly<Record<string, string>> = {
  "packages/core/src/shared/ids.ts": "a prefix of ours",
  "packages/core/src/memory/quote.ts": "escaped labels, as alternatives, which linear.test.ts measures",
  "packages/core/src/model/adapters/compatible.ts": "names of our own fields",
  "packages/core/src/tools/open-parameters.ts":
    "the name of a tool, in letters and digits, between bounded repetitions",
  "packages/core/src/tools/source/python/docstring.ts": "lists of headings of ours",
  "packages/core/src/tools/web/html-tokens.ts": "one of seven names of elements",
  "packages/server/src/app.ts": "paths of our own routes",
  "packages/server/src/letta/agent-files/references.ts": "a prefix of ours",
  "packages/server/src/letta/conversations/schema.ts": "the form of ids",
  "packages/server/src/letta/jobs/schema.ts": "the form of ids",
  "packages/server/src/letta/shared/ids.ts": "a prefix of ours",
};

const slow = sources.flatMap(listPatterns).flatMap(({ path, text }) => {
  const fault = findSlowness(text);
  return fault === undefined ? [] : [{ path, text, fault }];
});

test("no regular expression is slow on any text that it can get", () => {
  expect(slow.filter(({ path }) => !(path in allowed))).toEqual([]);
});

test("every file that is allowed a slow pattern has one", () => {
  expect(new Set(slow.map(({ path }) => path))).toEqual(new Set(Object.keys(allowed)));
});

test("every file that builds patterns at run time is on the list", () => {
  expect(new Set(sources.flatMap(listBuiltPatterns).map(({ path }) => path))).toEqual(new Set(Object.keys(built)));
});

/** Each has stopped a server for seconds. */
test.for([
  String.raw`/^\n+|\s+$/g`,
  String.raw`/\s*\n\s*/g`,
  String.raw`/^(?:\s*(?:[<>=!~]=|[<>])\s*[A-Za-z0-9][A-Za-z0-9.]*\s*,?)+$/`,
  String.raw`/^[^\p{L}]+|[^\p{L}]+$/gu`,
  String.raw`/<(?=\s*\/?\s*(?:memory|value)(?![\w-]))/gi`,
  String.raw`/\/+$/`,
  String.raw`/^\s*(\w+)\s*(?:\([^()]*\))?\s*:\s?(.*)$/`,
  String.raw`/\/\/[^\n]*|\/\*[\s\S]*?\*\//g`,
  String.raw`/<([^<>\s]+)>\n<description>\n[\s\S]*?<\/description>/g`,
  String.raw`/\b[a-z][a-z0-9+.-]*:\/\/[^\s]+/gi`,
  "/^(a+)+$/",
  "/(?:a|a)*b/",
])("the slow pattern %s is found", (pattern) => {
  expect(findSlowness(pattern)).toBeDefined();
});

test.for([
  String.raw`/^\n+/`,
  String.raw`/<(?=\s*(?:\/\s*)?(?:memory|value)(?![\w-]))/gi`,
  String.raw`/(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s]+/gi`,
  String.raw`/\{([^{}]*)\}/g`,
  String.raw`/\s+\S*|\S+/g`,
  String.raw`/[^\s/>]*/y`,
])("the linear pattern %s is not taken for a slow one", (pattern) => {
  expect(findSlowness(pattern)).toBeUndefined();
});
