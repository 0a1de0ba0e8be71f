/** Times in agent files: with an offset in place of the Z. */
import { toWireTime } from "../shared/time.ts";

export function toFileTime(micros: number): string;
export function toFileTime(micros: number | null): string | null;
export function toFileTime(micros: number | null): string | null {
  return micros === null ? null : toWireTime(micros).replace("Z", "+00:00");
}
