/** Checks what the documents say about this repository: links lead somewhere, named paths exist, no setting is missing. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { providerRows } from "@memoir/core";
import { describeDefault, flagOf, settingNames, settings } from "@memoir/server";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/install.cjs";

const documents = [
  ...listMarkdown("."),
  ...listMarkdown("docs", { recursive: true }),
  ...readdirSync(join(ROOT, "packages")).flatMap((name) => listMarkdown(`packages/${name}`)),
];

describe("relative links", () => {
  test("there are documents to read", () => {
    expect(documents).toEqual(
      expect.arrayContaining(["README.md", "CONTRIBUTING.md", "docs/contributing/architecture.md"]),
    );
  });

  test.for(documents)("of %s lead to a file, and to a heading of it where they name one", (path) => {
    expect(listBrokenLinks(path, readFileSync(join(ROOT, path), "utf8"))).toEqual([]);
  });

  test.for([
    "[gone](no-such-file.md)",
    "[gone](docs/no-such-file.md#start)",
    "[outside](../somewhere.md)",
    "[no heading](#no-such-heading)",
    "[no heading](README.md#no-such-heading)",
    "[two][name]\n\n[name]: no-such-file.md",
    "![picture](no-such-picture.svg)",
    '[title](no-such-file.md "with a title")',
  ])("the check catches %s", (text) => {
    expect(listBrokenLinks("README.md", text)).toHaveLength(1);
  });

  test("the check lets the usual through", () => {
    const text =
      "# One `two`, three\n[a](LICENSE) [b](docs/) [c](#one-two-three) [d](https://example.org/x.md) `[e](gone.md)`\n" +
      "```sh\n[f](gone.md)\n```\n";
    expect(listBrokenLinks("README.md", text)).toEqual([]);
  });
});

const configurationRows = readFileSync(join(ROOT, "docs", "reference", "configuration.md"), "utf8").split("\n");

test.for(settingNames)("docs/reference/configuration.md has %s with its flag, variables and default", (name) => {
  const row = configurationRows.find((each) => each.startsWith(`| \`--${flagOf(name)}\` |`)) ?? "";
  for (const word of [name, ...settings[name].variables]) expect(row).toContain(`\`${word}\``);
  const shown = describeDefault(settings[name]);
  const endings = [")", ":", ";"].map((end) => `(${shown}${end}`);
  const meaning = row.replaceAll("`", "");
  expect(
    endings.some((text) => meaning.includes(text)),
    `the default, ${endings[0]}, in ${row}`,
  ).toBe(true);
});

describe("docs/reference/providers.md", () => {
  const page = readFileSync(join(ROOT, "docs", "reference", "providers.md"), "utf8");
  const [spoken = "", variables = ""] = page.split("\n## ", 2);
  const rowsOf = (part: string) => part.split("\n").filter((line) => line.startsWith("| `"));
  const namesIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const typesIn = (rows: readonly string[]) => new Set(rows.flatMap((row) => namesIn(row.split("|")[1])));

  test("says of every provider, and of no other, what it was tried against", () => {
    const known = [...providerRows.map(({ type }) => type), ...["memoir/demo", "o…", "gpt-5…"]];
    expect([...typesIn(rowsOf(spoken))].toSorted()).toEqual(known.toSorted());
  });

  test("has the variables of every provider, and of no other", () => {
    const configured = providerRows.filter(
      ({ keyVariables, baseUrlVariables }) => keyVariables[0] ?? baseUrlVariables[0],
    );
    expect([...typesIn(rowsOf(variables))].toSorted()).toEqual(configured.map(({ type }) => type).toSorted());
    for (const { type, keyVariables, baseUrlVariables, detectedBy, handleVariable } of configured) {
      const row = rowsOf(variables).find((each) => namesIn(each.split("|")[1]).includes(type));
      const names = [
        ...keyVariables,
        ...baseUrlVariables,
        ...detectedBy.flat(),
        ...(handleVariable ? [handleVariable] : []),
      ];
      expect(namesIn(row)).toEqual(expect.arrayContaining(names));
    }
  });
});

test("docs/contributing/architecture.md has a row for every room of the table that architecture.test.ts holds", () => {
  const table = readFileSync(join(ROOT, "packages/core/src/architecture.test.ts"), "utf8");
  const paths = Object.fromEntries(
    [...table.matchAll(/^const (\w+) = "(core\/src\/[\w./-]+)";$/gm)].map(([, name, path]) => [name, path]),
  );
  const rooms = [...table.matchAll(/^ {2}(?:\[(\w+)\]|"([\w./]+)"): \{ ?(?:rooms: .*)?$/gm)].map(
    ([, name = "", path]) => path ?? paths[name] ?? name,
  );
  expect(rooms.length).toBeGreaterThan(15);
  const rows = readFileSync(join(ROOT, "docs", "contributing", "architecture.md"), "utf8").split("\n");
  const missing = rooms.filter((room) => !rows.some((row) => row.split("|")[1]?.includes(`\`${room}\``)));
  expect(missing).toEqual([]);
});

test("docs/decisions/0009-dependencies.md names every direct dependency", () => {
  const page = readFileSync(join(ROOT, "docs/decisions/0009-dependencies.md"), "utf8");
  const folders = [
    ".",
    "conformance/clients",
    ...readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}`),
  ];
  const names = folders.flatMap((folder) => {
    const file = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
    return Object.keys({ ...file.dependencies, ...file.devDependencies, ...file.peerDependencies });
  });
  // The page names the SDK and exporters of OpenTelemetry together.
  const foreign = names.filter((name) => !/^@memoir\/|^@opentelemetry\/(?!api$)/.test(name));
  expect(foreign).toContain("gpt-tokenizer");
  expect(foreign.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

describe("paths", () => {
  const pages = ["CONTRIBUTING.md", ...listMarkdown("docs/contributing")];

  test.for(pages)("that %s names exist", (path) => {
    expect(listMissingPaths(readFileSync(join(ROOT, path), "utf8"))).toEqual([]);
  });

  test('in every row of "to add | touch" of CONTRIBUTING.md start at the root or below packages/', () => {
    const rows = listAddRows(readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8"));
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => listPaths(row).length === 0)).toEqual([]);
    const loose = rows.flatMap((row) => listSpans(row).filter((span) => /\.ts$/.test(span) && !isRooted(span)));
    expect(loose).toEqual([]);
  });

  test("in the diagrams of docs/contributing/architecture.md exist", () => {
    const text = readFileSync(join(ROOT, "docs/contributing/architecture.md"), "utf8");
    const paths = [...text.matchAll(/^.*? ((?:core|server)\/src\/[\w./-]+) {2,}/gm)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !pathExists(path))).toEqual([]);
  });

  test("the check catches a file, a folder and a pattern without a match", () => {
    const text = "`core/src/gone.ts` `packages/gone/` `core/src/store/<topic>/gone-<noun>.ts` `core/src/memoir.ts`";
    expect(listMissingPaths(text)).toHaveLength(3);
  });
});

function listAddRows(markdown: string): string[] {
  const [, table = ""] = /^\| to add \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(markdown) ?? [];
  return table.split("\n").filter((row) => row !== "");
}

function listSpans(text: string): string[] {
  return [...text.replaceAll(/^ *```.*?^ *```$/gms, "").matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
}

function isRooted(span: string): boolean {
  return /^(?:packages|core\/src|server\/src|cli\/src|web\/src|conformance|scripts|docs|clients)\/[^\s*]*$/.test(span);
}

const listPaths = (text: string) => listSpans(text).filter(isRooted);
const listMissingPaths = (text: string) => listPaths(text).filter((path) => !pathExists(path));

/** Below the root, or below `packages`. `<name>` and `NNNN_….ts` stand for any name. */
function pathExists(path: string): boolean {
  const segments = path.split("/").filter((segment) => segment !== "");
  return [ROOT, join(ROOT, "packages")].some((folder) => holds(folder, segments));
}

function holds(folder: string, [segment, ...rest]: readonly string[]): boolean {
  if (segment === undefined) return true;
  if (!/[<…]/.test(segment)) return existsSync(join(folder, segment)) && holds(join(folder, segment), rest);
  const parts = segment.replaceAll("NNNN", "<number>").split(/<[^>]+>|…/);
  const pattern = new RegExp(`^${parts.map((part) => part.replaceAll(".", "\\.")).join("[\\w-]+")}$`);
  return (
    existsSync(folder) && readdirSync(folder).some((name) => pattern.test(name) && holds(join(folder, name), rest))
  );
}

function listMarkdown(folder: string, options: { recursive?: boolean } = {}): string[] {
  return readdirSync(join(ROOT, folder), { ...options, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) =>
      relative(ROOT, join(ROOT, folder, name))
        .split(sep)
        .join("/"),
    )
    .sort();
}

function listBrokenLinks(path: string, markdown: string): string[] {
  return listLinks(withoutCode(markdown)).filter((link) => {
    if (/^[a-z]+:/i.test(link)) return false;
    const [file = "", heading] = link.split("#");
    const target = file === "" ? join(ROOT, path) : resolve(ROOT, dirname(path), file);
    if (relative(ROOT, target).startsWith("..") || !existsSync(target)) return true;
    if (heading === undefined) return false;
    const text = file === "" ? markdown : readFileSync(target, "utf8");
    return !listHeadings(text).includes(heading);
  });
}

function listLinks(text: string): string[] {
  const inline = text.matchAll(/\]\(\s*<?([^)\s>]+)/g);
  const defined = text.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)/gm);
  return [...inline, ...defined].flatMap(([, target]) => target ?? []);
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`\n]*`/g, "");
}

/** As the usual hosts name them: small letters, spaces as dashes, other signs gone. */
function listHeadings(text: string): string[] {
  const titles = text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ +(.+)$/gm);
  return [...titles].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}
