import { expect, test } from "vitest";
import { commands } from "./commands/list.ts";
import { composeOverview } from "./help.ts";

test.for(commands)("memoir --help names $name, and memoir help $name explains it", ({ name, summary, help }) => {
  const columns = new RegExp(`^ {2}memoir ${name} +(.*)$`, "m").exec(composeOverview());
  expect(columns?.[1]).toBe(summary);
  expect(help.startsWith(`memoir ${name}`)).toBe(true);
});
