/** No recording is left out of the comparisons, but for those named here with the reason. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedPath } from "../packages/core/src/testing/shared.ts";
import { hasRecordings, skipRecorded } from "./recordings.ts";

const leftOut: readonly { readonly names: RegExp; readonly reason: string }[] = [
  { names: /^wire-more\/.*(file|folder|source)/, reason: "uploads and the tools for files come later" },
  {
    names: /^wire\/(message-send-file-tools|provider-request-with-open-file)$/,
    reason: "the tools for files come later",
  },
  { names: /^wire-more\/provider-request-directories$/, reason: "its open files come with uploads" },
  { names: /^wire-more\/.*mcp/, reason: "MCP servers are not connected yet" },
  { names: /^wire-more\/(group-|groups-count)/, reason: "groups that talk come later" },
  {
    names: /^wire-more\/(message-to-|message-list-of-addressed|provider-request-from-other|agent-export-two)/,
    reason: "messages between agents come later",
  },
  { names: /^(wire\/message-send-sleeptime|wire-more\/.*sleeptime)/, reason: "sleep-time work comes later" },
  {
    names: /^wire\/provider-request-/,
    reason: "requests to providers are our own; tests of the adapters compare them with the providers' formats",
  },
  {
    names: /^wire\/(agent-export-(af|legacy)|agent-import-af|error-agent-import-bad)$/,
    reason: "agent-files.test.ts and agent-files-real.test.ts compare agent files with real ones, as uploads",
  },
];

function listRecordings(folder: "wire" | "wire-more"): string[] {
  const names = readdirSync(sharedPath(folder)).flatMap(
    (file) => /^(.*?)(?:\.request)?(?:\.json|\.sse\.txt)$/.exec(file)?.[1] ?? [],
  );
  return [...new Set(names)].map((name) => `${folder}/${name}`);
}

/** Names that a comparison holds as they are: a star marks those that are only sent. */
function listCompared(): Set<string> {
  const folder = import.meta.dirname;
  const files = readdirSync(folder).filter((file) => /^recorded.*\.test\.ts$/.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(/"([a-z0-9-]+)"/g)].map(([, name]) => `wire/${name}`)));
}

if (hasRecordings) {
  test("every recording is compared, or named with the reason why not", () => {
    const compared = listCompared();
    const rest = [...listRecordings("wire"), ...listRecordings("wire-more")].filter((name) => !compared.has(name));
    const isNamed = (name: string) => leftOut.some(({ names }) => names.test(name));
    expect(rest.filter((name) => !isNamed(name))).toEqual([]);
    expect(leftOut.filter(({ names }) => !rest.some((name) => names.test(name)))).toEqual([]);
  });
} else skipRecorded("every recording is compared, or named with the reason why not");
