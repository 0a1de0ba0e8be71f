/** Which runs can be followed after they were begun. */
import { MemoirError, type Run } from "@memoir/core";

const keptMs = 3 * 3_600_000;

/** Only runs that were begun for it can be followed later, and not for ever. */
export function rejectUnkept({ id, isBackground, endedAt }: Run): void {
  if (!isBackground) {
    throw new MemoirError(
      "invalid-argument",
      `Run was not created in background mode, so it cannot be followed: ${id}`,
    );
  }
  if (endedAt === null || Date.now() - endedAt / 1000 < keptMs) return;
  throw Object.assign(new Error("the run ended more than 3 hours ago; ask for its messages instead"), {
    statusCode: 410,
  });
}
