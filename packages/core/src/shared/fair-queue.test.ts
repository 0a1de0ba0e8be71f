/** Who comes next where places are few. */
import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

/** Calls that take their place, note their owner, and give it back a moment later. */
async function runCalls(queue: FairQueue, owners: readonly string[]): Promise<string[]> {
  const served: string[] = [];
  await Promise.all(
    owners.map(async (owner) => {
      const leave = await queue.enter(owner);
      served.push(owner);
      await new Promise((resolve) => setImmediate(resolve));
      leave();
    }),
  );
  return served;
}

test("fifty calls: a small owner does not wait behind a large one", async () => {
  const owners = [...Array<string>(45).fill("large"), ...Array<string>(5).fill("small")];
  const served = await runCalls(new FairQueue({ places: 4, maxPlacesPerOwner: 3 }), owners);
  expect(served).toHaveLength(50);
  expect(served.lastIndexOf("small")).toBeLessThan(16);
});

test("three owners take turns", async () => {
  const served = await runCalls(new FairQueue({ places: 1, maxPlacesPerOwner: 1 }), [..."aaabbbccc"]);
  expect(served.join("")).toBe("abcabcabc");
});

test("nobody holds all places", async () => {
  const queue = new FairQueue({ places: 3, maxPlacesPerOwner: 2 });
  await Promise.all([queue.enter("a"), queue.enter("a")]);
  const third = queue.enter("a").then(() => "a");
  const other = queue.enter("b").then(() => "b");
  expect(await Promise.race([third, other])).toBe("b");
});

test("who gives up loses no place, and takes none", async () => {
  const queue = new FairQueue({ places: 1, maxPlacesPerOwner: 1 });
  const leave = await queue.enter("a");
  const aborter = new AbortController();
  const waiting = queue.enter("b", aborter.signal);
  aborter.abort(new Error("gave up"));
  await expect(waiting).rejects.toThrow("gave up");
  leave();
  leave();
  (await queue.enter("c"))();
  await expect(queue.enter("d", aborter.signal)).rejects.toThrow("gave up");
});
