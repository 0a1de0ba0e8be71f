/** The rules every passage in an archive keeps, whoever files it. */
import { invalidInput, MemoirError } from "../shared/errors.ts";
import { countCharacters } from "./block-rules.ts";
import { loadCounter } from "./tokens.ts";

/** What PostgreSQL can index as one text, with room to spare; a note this long is found by everything anyway. */
export const longestPassage = 100_000;

/** For callers of the API. */
export function checkPassage(text: string): void {
  if (text.trim() === "") throw invalidInput("text", "text is empty: write there what is to be found again");
  if (text.length <= longestPassage) return;
  throw invalidInput(
    "text",
    `text has ${countCharacters(text)} characters, a passage may have ${longestPassage}: cut it by subject`,
  );
}

/** What an agent is given at once; more would crowd out everything else it has in mind. */
const maxTokens = 8192;

export async function checkAgentPassage(text: string): Promise<void> {
  checkPassage(text);
  // A token is at least a byte, so most texts need no counting.
  if (Buffer.byteLength(text) <= maxTokens) return;
  const tokens = (await loadCounter("openai")).text(text);
  if (tokens <= maxTokens) return;
  throw new MemoirError(
    "invalid-argument",
    `text has ${tokens} tokens, a passage of an agent may have ${maxTokens}: cut it by subject and file each part`,
    { details: { field: "text" } },
  );
}
