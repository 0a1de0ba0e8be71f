/**
 * Checks of values against the schemas of tools. Small schemas without anything that can be slow are checked at once;
 * those with patterns, references or comparisons of items, and what turns out to be slow, on a thread.
 */
import { createHash } from "node:crypto";
import { runOnThread, ThreadFailure, ThreadNeeded } from "../threads/threads.ts";
import { checkQuickly, describeSlowness, type ValueCheck } from "./schema-check.ts";

const verdicts = new Map<string, readonly string[]>();
const maxVerdicts = 1_000;
/** The check limits its own CPU time; this ends a thread that does not come back from it, even on a busy machine. */
const deadlineMs = 180_000;

/** What does not fit. Throws ThreadNeeded where a thread has to say it first. */
export function findKnownFaults(check: ValueCheck): readonly string[] {
  const schema = JSON.stringify(check.schema);
  const faults = mayBeSlow(schema) ? undefined : checkQuickly(check);
  if (faults) return faults;
  const key = createHash("sha256")
    .update(JSON.stringify([schema, check.value, check.whole]))
    .digest("base64");
  const known = verdicts.get(key);
  if (known) return known;
  throw new ThreadNeeded(async (owner) => {
    const found = await checkOnThread(check, owner);
    if (verdicts.size >= maxVerdicts) verdicts.clear();
    verdicts.set(key, found);
  });
}

const longestQuick = 20_000;

/**
 * `uniqueItems` compares every item with every other; references may lead to themselves. A pattern is a text: the schema of
 * an argument named "pattern" is an object.
 */
function mayBeSlow(schema: string): boolean {
  return (
    schema.length > longestQuick ||
    /"(?:pattern":"|(?:patternProperties|uniqueItems|\$ref|\$dynamicRef)":)/.test(schema)
  );
}

async function checkOnThread(check: ValueCheck, owner: string): Promise<string[]> {
  try {
    return await runOnThread<string[]>("check-value", check, { owner, deadlineMs });
  } catch (error) {
    if (error instanceof ThreadFailure) return [describeSlowness(check.whole)];
    throw error;
  }
}
