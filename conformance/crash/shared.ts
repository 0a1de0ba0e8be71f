/**
 * Blocks that all clients write at once. Nobody can say which text is the last, but every acknowledged text must be in
 * the block's history exactly once, each client's texts in the order it sent them, and nothing nobody sent.
 */
import type { Random } from "./random.ts";
import type { Ids, World } from "./world.ts";

export type SharedBlocks = {
  /** What to write next; undefined while there are none. */
  begin(client: string, random: Random): { id: string; text: string } | undefined;
  acknowledge(text: string): void;
  /** What is wrong with the histories found. Afterwards nothing is open: what did not happen may not appear later. */
  settle(found: World["blocks"]): string[];
};

type Sent = { label: string; client: string; serial: number; isAcknowledged: boolean };

/** `ids` are those of the blocks; their first text is their label. */
export function createSharedBlocks(ids: Ids): SharedBlocks {
  const sent = new Map<string, Sent>();
  let serial = 0;
  return {
    begin(client, random) {
      const [label, id] = random.pick([...ids]) ?? [];
      if (label === undefined || id === undefined) return undefined;
      serial++;
      const text = `${client} ${serial}`;
      sent.set(text, { label, client, serial, isAcknowledged: false });
      return { id, text };
    },
    acknowledge(text) {
      const write = sent.get(text);
      if (write) write.isAcknowledged = true;
    },
    settle(found) {
      const problems = [...ids.keys()].flatMap((label) => checkHistory(label, found[label] ?? [], sent));
      const happened = new Set(Object.values(found).flat());
      for (const [text, write] of sent) {
        if (happened.has(text)) write.isAcknowledged = true;
        else if (!write.isAcknowledged) sent.delete(text);
      }
      return problems;
    },
  };
}

function checkHistory(label: string, texts: readonly string[], sent: ReadonlyMap<string, Sent>): string[] {
  const problems: string[] = [];
  if (texts[0] !== label) problems.push(`block ${label} does not begin with its first text`);
  const seen = new Set<string>();
  const last = new Map<string, number>();
  for (const text of texts.slice(1)) {
    const write = sent.get(text);
    if (write?.label !== label) problems.push(`block ${label} has a text that nobody sent or that failed: ${text}`);
    else if (seen.has(text)) problems.push(`block ${label} has a text twice: ${text}`);
    else if ((last.get(write.client) ?? 0) > write.serial) problems.push(`block ${label} has ${text} too late`);
    else last.set(write.client, write.serial);
    seen.add(text);
  }
  for (const [text, write] of sent) {
    const isLost = write.label === label && write.isAcknowledged && !seen.has(text);
    if (isLost) problems.push(`block ${label} lost the acknowledged text ${text}`);
  }
  return problems;
}
