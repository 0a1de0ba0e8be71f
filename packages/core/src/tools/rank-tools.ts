/** Finds tools by what they are called and how they are described. There are few of them, so no index is needed. */
import type { ToolText } from "../store/tools/tools.ts";

/** Those that have any of the words, best first; of equals the one that came first stays first. */
export function rankTools<T extends ToolText>(tools: readonly T[], words: readonly string[]): T[] {
  return tools
    .map((tool) => ({ tool, score: scoreTool(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ tool }) => tool);
}

/** A tool's name says more about it than its tags, and these more than its description. */
const [nameWeight, tagWeight, descriptionWeight] = [4, 2, 1];

function scoreTool({ name, tags, description }: ToolText, words: readonly string[]): number {
  const places: readonly [parts: readonly string[], weight: number][] = [
    [partsOf(name), nameWeight],
    [tags.flatMap(partsOf), tagWeight],
    [partsOf(description ?? ""), descriptionWeight],
  ];
  return words.reduce((sum, word) => {
    const weights = places.map(([parts, weight]) => (parts.some((part) => isKin(part, word)) ? weight : 0));
    return sum + Math.max(...weights);
  }, 0);
}

function partsOf(text: string): string[] {
  const spaced = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return spaced.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Below so many letters a common beginning is chance. */
const shortestStem = 4;

function isKin(left: string, right: string): boolean {
  if (left === right) return true;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= shortestStem && long.startsWith(short);
}
