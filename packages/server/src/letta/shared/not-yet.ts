/** The answer to an action whose part of the program is still to come: 501 and one sentence, never a made-up success. */
import { MemoirError } from "@memoir/core";

export function notYet(sentence: string): MemoirError {
  return new MemoirError("not-implemented", sentence);
}
