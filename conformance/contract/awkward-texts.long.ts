/** Every awkward text in every place that takes one. */
import { expect, test } from "vitest";
import { awkwardTexts, findAwkward } from "./awkward-texts.ts";

test("every awkward text in any place of any operation is answered in time", {
  timeout: 7_200_000,
}, async (context) => {
  const { problems } = await findAwkward(context, () => [...awkwardTexts.keys()]);
  expect(problems).toEqual([]);
});
