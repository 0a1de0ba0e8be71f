/** The few English sentences the demo understands. No intelligence: patterns, tried from top to bottom. */
import { trimEndOf } from "../shared/trim.ts";
import type { Fact } from "./demo-memory.ts";

export type Intent =
  | { readonly type: "note"; readonly facts: readonly Fact[] }
  | { readonly type: "forget"; readonly words: readonly string[]; readonly text: string }
  /** What is noted under this name; everything when null. */
  | { readonly type: "recall"; readonly name: string | null }
  | { readonly type: "search-talk"; readonly query: string }
  | { readonly type: "search-archive"; readonly query: string }
  | { readonly type: "archive"; readonly text: string }
  | { readonly type: "greet" }
  | { readonly type: "thank" }
  | { readonly type: "other" };

type Rule = readonly [pattern: RegExp, read: (text: string) => Intent];

const commands: readonly Rule[] = [
  [/^(?:please )?archive(?: this| the following)?(?: that)?[:,]? (.+)/i, (text) => ({ type: "archive", text })],
  [/^(?:look up|search (?:the |your )?archive for|what is in (?:the |your )?archive about) (.+)/i, searchArchive],
  [/^(?:what|when) did (?:i|we) (?:say|tell you|talk|mention)(?: about)? (.+)/i, searchTalk],
  [/^(?:what )?have (?:i|we) (?:ever )?(?:said|told you|talked|mentioned)(?: about)? (.+)/i, searchTalk],
  [/^did (?:i|we) (?:ever )?(?:say|tell you|talk|mention)(?: about)? (.+)/i, searchTalk],
  [/^(?:please )?search(?: our conversation| the conversation)?(?: for)? (.+)/i, searchTalk],
  [/^(?:please )?forget (?:that |about )?(.+)/i, forget],
];

const questions: readonly Rule[] = [
  [/\b(what do you (?:know|remember) about me|what (?:is|do you have) in your memory|who am i)\b/i, () => recall(null)],
  [/\b(?:what(?: is|'s)|do you (?:know|remember)|tell me) my (.+)/i, (name) => recall(nameThing(name))],
  [/\b(where (?:do )?i live)\b/i, () => recall("Lives in")],
  [/\b(what do i do (?:for|at) work|where (?:do )?i work)\b/i, () => recall("Work")],
  [/\b(what (?:do )?i (?:like|love|enjoy))\b/i, () => recall("Likes")],
];

const courtesies: readonly Rule[] = [
  [/^(hi|hello|hey|good (?:morning|afternoon|evening))\b/i, () => ({ type: "greet" })],
  [/^(thanks|thank you)\b/i, () => ({ type: "thank" })],
];

const request = /^(?:please )?(?:remember|note|keep in mind)(?: that)?[:,]? (.+)/i;

export function understand(utterance: string): Intent {
  const text = utterance.replaceAll(/\s+/g, " ").replaceAll("\u2019", "'").trim();
  const isQuestion = text.endsWith("?");
  const asked = isQuestion ? undefined : request.exec(text)?.[1];
  return (
    follow(commands, text) ??
    follow(questions, text) ??
    (asked === undefined ? undefined : note(asked, true)) ??
    (isQuestion ? undefined : note(text, false)) ??
    follow(courtesies, text) ?? { type: "other" }
  );
}

function follow(rules: readonly Rule[], text: string): Intent | undefined {
  for (const [pattern, read] of rules) {
    const match = pattern.exec(text);
    if (match) return read(tidy(match[1]));
  }
  return undefined;
}

const longestValue = 300;

type FactRule = readonly [pattern: RegExp, name: string, isSingle: boolean];

const factRules: readonly FactRule[] = [
  [/^(?:my name is|i am called|i'm called|call me|you can call me) (.+)/i, "Name", true],
  [
    /^(?:[Tt]his is|[Ii] am|[Ii]'m) (?!\S*(?:ish|ese|ian|erman|rench|utch|rican)$)(\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?)$/u,
    "Name",
    true,
  ],
  [/^i live (?:in|at|near) (.+)/i, "Lives in", true],
  [/^(?:i work as|my job is) (.+)/i, "Work", true],
  [/^i work (?:at|for|in) (.+)/i, "Works at", true],
  [/^i(?: really| also)? (?:like|love|enjoy) (.+)/i, "Likes", false],
  [/^i(?: really| also)? (?:dislike|hate|do not like|don't like) (.+)/i, "Dislikes", false],
  [/^(?:i am|i'm) (an? .+)/i, "Is", false],
];

const greeting = /^(?:hi|hello|hey)(?: there)?[,!.]? (?=(?:my|i|call|this)\b)/i;

function note(text: string, isAsked: boolean): Intent | undefined {
  const clauses = text.split(/(?<![.!;])[.!;]+(?:\s+|$)|,? and (?=(?:i|my)\b)/i).map(tidy);
  const facts = clauses.flatMap(readFact);
  if (facts.length > 0) return { type: "note", facts };
  return isAsked ? { type: "note", facts: [{ name: "Note", value: cut(tidy(text)), isSingle: false }] } : undefined;
}

const anyThing = /^my ([\p{L}' -]{2,40}?)(?:'s name)? (?:is called|is named|is|are) (.+)/iu;

function readFact(sentence: string): Fact[] {
  const clause = sentence.replace(greeting, "");
  for (const [pattern, name, isSingle] of factRules) {
    const value = pattern.exec(clause)?.[1];
    if (value) return [{ name, value: cut(value), isSingle }];
  }
  const thing = anyThing.exec(clause);
  return thing ? [{ name: nameThing(thing[1]), value: cut(thing[2] ?? ""), isSingle: true }] : [];
}

/** "dog's name" and "dog" are one thing to this model. */
function nameThing(text = ""): string {
  const thing = text.replace(/(?:'s name| is called| called)$/i, "").toLowerCase();
  if (/^(?:job|profession|work)$/.test(thing)) return "Work";
  if (/^(?:home|address|city)$/.test(thing)) return "Lives in";
  return thing.charAt(0).toUpperCase() + thing.slice(1);
}

function searchArchive(query: string): Intent {
  return { type: "search-archive", query };
}

function searchTalk(query: string): Intent {
  return { type: "search-talk", query };
}

function recall(name: string | null): Intent {
  return { type: "recall", name };
}

const smallWords = new Set("a an the that i my is am are in as at to about and".split(" "));

function forget(text: string): Intent {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return { type: "forget", text, words: words.filter((word) => word !== "" && !smallWords.has(word)) };
}

function tidy(text = ""): string {
  const words = trimEndOf(text, /[\s.!,;]/).replace(/^["“]/, "");
  return trimEndOf(words, /["”?]/).trim();
}

function cut(text: string): string {
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`;
}
