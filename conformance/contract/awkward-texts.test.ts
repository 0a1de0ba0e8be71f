/** A sample of awkward-texts.long.ts: every place gets one of the texts. */
import { expect, test } from "vitest";
import { awkwardTexts, findAwkward } from "./awkward-texts.ts";

test("100,000 awkward characters in any text of any operation are answered in time", async (context) => {
  const { places, problems } = await findAwkward(context, (place) => [(place * 7) % awkwardTexts.length]);
  expect(places).toBeGreaterThan(1_000);
  expect(problems).toEqual([]);
});
