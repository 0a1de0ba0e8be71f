import fc from "fast-check";
import { expect, test } from "vitest";
import { isMemoirError } from "../shared/errors.ts";
import type { CoreBlock } from "../store/blocks/core-memory.ts";
import {
  type BlockPlan,
  planAdd,
  planDescribe,
  planEdit,
  planRemove,
  planRename,
  planWrites,
  startPlan,
} from "./block-plan.ts";

const stored = (label: string): CoreBlock => ({
  id: `block-${label}`,
  label,
  value: label,
  charLimit: 100,
  description: null,
  metadata: {},
  readOnly: label === "law",
  hidden: null,
  isTemplate: false,
  templateName: null,
  templateId: null,
  baseTemplateId: null,
  deploymentId: null,
  entityId: null,
  preserveOnMigration: false,
  projectId: null,
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  createdBy: null,
  updatedBy: null,
  isIsolated: label === "copy",
});

const labels = ["a", "b", "c", "law", "copy", "x", "y"];
const label = fc.constantFrom(...labels);
type Change = (plan: BlockPlan) => BlockPlan;
const change: fc.Arbitrary<Change> = fc.oneof(
  label.map(
    (name): Change =>
      (plan) =>
        planAdd(plan, { label: name, value: "new", description: null }),
  ),
  label.map(
    (name): Change =>
      (plan) =>
        planRemove(plan, name),
  ),
  label.map(
    (name): Change =>
      (plan) =>
        planEdit(plan, name, (value) => `${value}.`),
  ),
  label.map(
    (name): Change =>
      (plan) =>
        planDescribe(plan, name, "described"),
  ),
  fc.tuple(label, label).map(
    ([from, to]): Change =>
      (plan) =>
        planRename(plan, from, to),
  ),
);

/** Goes on after a refusal, as if that change had not been asked for. */
function tryChange(plan: BlockPlan, next: Change): BlockPlan {
  try {
    return next(plan);
  } catch (error) {
    if (isMemoirError(error, "tool-failed")) return plan;
    throw error;
  }
}

test("whatever is planned, each write finds its label free and the end is what was planned", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const blocks = ["a", "b", "c", "law", "copy"].map(stored);
      const plan = changes.reduce(tryChange, startPlan(blocks));
      let writes: ReturnType<typeof planWrites>;
      try {
        writes = planWrites(plan);
      } catch (error) {
        expect(error).toMatchObject({ code: "tool-failed", message: expect.stringContaining("exchange their labels") });
        return;
      }
      const held = new Map(blocks.map((block) => [block.id, block.label]));
      for (const { id } of writes.detach) expect(held.delete(id)).toBe(true);
      for (const draft of writes.write) {
        if (draft.label !== draft.seen.label) expect([...held.values()]).not.toContain(draft.label);
        held.set(draft.seen.id, draft.label);
      }
      for (const draft of writes.create) {
        expect([...held.values()]).not.toContain(draft.label);
        held.set(`new ${draft.label}`, draft.label);
      }
      expect([...held.values()].sort()).toEqual(plan.drafts.map((draft) => draft.label).sort());
      expect(held.get("block-law")).toBe("law");
      expect(held.get("block-copy")).toBe("copy");
      expect(writes.write.map(({ seen }) => seen.label)).not.toContain("law");
    }),
    { numRuns: 500 },
  );
});
