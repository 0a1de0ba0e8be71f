/**
 * Changes to core memory that belong together, thought through before the first is written: blocks to add, edit, rename
 * and take away. Every refusal happens here, so what is written is all of it or nothing.
 */
import { defaultCharLimit } from "../store/blocks/blocks.ts";
import type { CoreBlock } from "../store/blocks/core-memory.ts";
import {
  refusal,
  rejectBadLabel,
  rejectOverLimit,
  rejectReadOnly,
  rejectTakenLabel,
  unknownLabel,
} from "./block-rules.ts";
import { rejectDisplayAids } from "./edit.ts";

/** A block as it shall be. */
export interface Draft {
  /** As it is now; undefined for a new one. */
  readonly seen: CoreBlock | undefined;
  readonly label: string;
  readonly value: string;
  readonly description: string | null;
}

export interface BlockPlan {
  readonly drafts: readonly Draft[];
  readonly removed: readonly CoreBlock[];
}

export function startPlan(blocks: readonly CoreBlock[]): BlockPlan {
  const drafts = blocks.map((seen) => ({
    seen,
    label: seen.label,
    value: seen.value,
    description: seen.description,
  }));
  return { drafts, removed: [] };
}

export function planAdd(plan: BlockPlan, draft: Omit<Draft, "seen">): BlockPlan {
  rejectNewLabel(plan, draft.label);
  rejectOverLimit({ label: draft.label, value: "", charLimit: defaultCharLimit }, draft.value);
  return { ...plan, drafts: [...plan.drafts, { ...draft, seen: undefined }] };
}

export function planEdit(plan: BlockPlan, label: string, edit: (value: string) => string): BlockPlan {
  const draft = openDraft(plan, label);
  const value = edit(draft.value);
  rejectOverLimit({ label, value: draft.value, charLimit: draft.seen?.charLimit ?? defaultCharLimit }, value);
  return replaceDraft(plan, draft, { value });
}

export function planDescribe(plan: BlockPlan, label: string, description: string): BlockPlan {
  return replaceDraft(plan, openDraft(plan, label), { description });
}

export function planRename(plan: BlockPlan, label: string, next: string): BlockPlan {
  const draft = openDraft(plan, label);
  rejectIsolated(draft, "renamed");
  rejectNewLabel(plan, next);
  return replaceDraft(plan, draft, { label: next });
}

export function planRemove(plan: BlockPlan, label: string): BlockPlan {
  const draft = openDraft(plan, label);
  rejectIsolated(draft, "taken away");
  const drafts = plan.drafts.filter((other) => other !== draft);
  return { drafts, removed: draft.seen ? [...plan.removed, draft.seen] : plan.removed };
}

function openDraft({ drafts }: BlockPlan, label: string): Draft {
  const draft = drafts.find((other) => other.label === label);
  if (!draft) {
    throw unknownLabel(
      label,
      drafts.map((other) => other.label),
    );
  }
  if (draft.seen) rejectReadOnly({ ...draft.seen, label });
  return draft;
}

function replaceDraft(plan: BlockPlan, draft: Draft, changes: Partial<Draft>): BlockPlan {
  return { ...plan, drafts: plan.drafts.map((other) => (other === draft ? { ...draft, ...changes } : other)) };
}

function rejectNewLabel({ drafts }: BlockPlan, label: string): void {
  rejectDisplayAids("The label", label);
  rejectBadLabel(label);
  rejectTakenLabel(
    label,
    drafts.map((draft) => draft.label),
  );
}

/** Without its copy, or under another label, the conversation would see the agent's block again. */
function rejectIsolated({ label, seen }: Draft, verb: string): void {
  if (!seen?.isIsolated) return;
  throw refusal(
    `Block "${label}" is this conversation's own copy of a block and cannot be ${verb} here. Nothing was changed. Edit ` +
      "its text or its description instead.",
  );
}

export interface PlannedWrites {
  readonly detach: readonly CoreBlock[];
  /** In an order in which every new label is free by then. */
  readonly write: readonly (Draft & { readonly seen: CoreBlock })[];
  readonly create: readonly Draft[];
}

/** What has to be written; drafts that are as they were need nothing. */
export function planWrites({ drafts, removed }: BlockPlan): PlannedWrites {
  const changed = drafts.filter((draft): draft is Draft & { readonly seen: CoreBlock } => isChanged(draft));
  return {
    detach: removed,
    write: orderRenames(changed),
    create: drafts.filter(({ seen }) => seen === undefined),
  };
}

function isChanged({ seen, label, value, description }: Draft): boolean {
  if (!seen) return false;
  return seen.label !== label || seen.value !== value || seen.description !== description;
}

function orderRenames<D extends Draft & { readonly seen: CoreBlock }>(changed: readonly D[]): D[] {
  const ordered: D[] = [];
  let waiting = [...changed];
  while (waiting.length > 0) {
    const held = new Set(waiting.map(({ seen }) => seen.label));
    const isFree = ({ seen, label }: D) => label === seen.label || !held.has(label);
    const next = waiting.filter(isFree);
    if (next.length === 0) {
      const labels = waiting.map(({ label }) => `"${label}"`).join(", ");
      throw refusal(
        `The blocks would exchange their labels (${labels}), which one call cannot do. Nothing was changed. Rename one ` +
          "of them to a new label in a call of its own, then the others.",
      );
    }
    ordered.push(...next);
    waiting = waiting.filter((draft) => !next.includes(draft));
  }
  return ordered;
}
