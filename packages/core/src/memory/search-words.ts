/** What a question is searched by: its telling words. Everything else about it, operators included, is no matter. */
import { normalizeText } from "../shared/normalize.ts";

/** More than this many words narrow nothing down any further. */
const maxWords = 40;
const longestWord = 100;
/** Room for the words above, with long ones among them. */
const longestQuestion = 10_000;

/**
 * Words of several parts, such as an address or a version, come whole and in parts. Words that stand in nearly every
 * sentence are left out; nothing is left of a question that has no others.
 */
export function searchWords(question: string): string[] {
  const text = question.slice(0, longestQuestion).replaceAll(/\p{C}/gu, " ");
  const words = normalizeText(text, "NFC").toLowerCase().split(/\s+/).flatMap(splitTerm);
  return [...new Set(words)].filter((word) => word.length <= longestWord && !isFunctionWord(word)).slice(0, maxWords);
}

function splitTerm(term: string): string[] {
  const found = [...term.matchAll(/[\p{L}\p{M}\p{N}]+/gu)];
  const parts = found.map(([part]) => part);
  const last = found.at(-1);
  if (found.length < 2 || !last) return parts;
  return [term.slice(found[0]?.index, last.index + last[0].length), ...parts];
}

function isFunctionWord(word: string): boolean {
  return functionWords.has(word.replaceAll(/['’]/g, ""));
}

/** All of those that PostgreSQL leaves out of its index are among them, so that both databases find the same. */
const functionWords: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any anything are arent as at be because been before being below
  between both but by can cannot cant could couldnt d did didn didnt do does doesn doesnt doing don dont down during each
  ever few for from further had hadnt has hasnt have havent having he hed hell her here heres hers herself hes him
  himself his how hows i id if ill im in into is isn isnt it its itself ive just ll m me more most my myself no nor not now
  of off on once only or other ought our ours ourselves out over own re s same she shed shell shes should shouldnt so
  some something such t tell than that thats the their theirs them themselves then there theres these they theyd theyll
  theyre theyve this those through to too under until up us ve very was wasnt we wed were werent weve what whats when
  whens where wheres which while who whom whos whose why whys will with wont would wouldnt you youd youll your youre
  yours yourself yourselves youve`.split(/\s+/),
);
