import { expect, test } from "vitest";
import { defaultOrgId } from "../../shared/ids.ts";
import { dialects, openTestMemoir } from "../../testing/databases.ts";
import { Store } from "../engine/store.ts";
import { listBlockVersions } from "./block-versions.ts";

test.for(dialects)("%s: every version of a block is kept with its text and its cause", async (dialect, context) => {
  const memoir = await openTestMemoir(dialect, context);
  const actor = memoir.defaultActor;
  const block = await memoir.blocks.create(actor, { label: "notes", value: "line 0" });
  const texts = ["line 0"];
  for (let count = 1; count <= 45; count++) {
    const value = Array.from({ length: (count * 7) % 11 }, (_, line) => `line ${line} of ${count % 3}`).join("\n");
    await memoir.blocks.update(actor, block.id, { value });
    texts.push(value);
  }
  const store = await Store.open({ database: memoir.location.path });
  const versions = await listBlockVersions(store.read(defaultOrgId), block.id);
  await store.close();
  // Equal texts in a row are no change, so they leave no version.
  const distinct = texts.filter((text, index) => text !== texts[index - 1]);
  expect(versions.map(({ value }) => value)).toEqual(distinct);
  expect(versions.map(({ version }) => version)).toEqual(distinct.map((_, index) => index + 1));
  expect(versions.at(-1)?.cause).toEqual({ kind: "api", userId: actor.userId });
});
