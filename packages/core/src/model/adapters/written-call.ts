/**
 * Small models sometimes write a tool call down instead of making it. Only a text that is one JSON object with a name and
 * arguments, and names a tool that was offered, is taken for a call: anything else is something the model says.
 */
import type { ToolDefinition } from "../../shared/content.ts";
import { parseJsonObject } from "../../shared/json.ts";

export interface WrittenCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export function findWrittenCall(text: string, tools: readonly ToolDefinition[]): WrittenCall | undefined {
  const value = parseJsonObject(text);
  if (!value) return undefined;
  const { name, arguments: own, parameters, ...rest } = value;
  const input = own ?? parameters;
  if (Object.keys(rest).length > 0 || (own !== undefined && parameters !== undefined)) return undefined;
  if (typeof name !== "string" || !tools.some((tool) => tool.name === name)) return undefined;
  const args = typeof input === "string" ? parseJsonObject(input) : input;
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  return { name, arguments: JSON.stringify(args) };
}

const beginnings = ['{"name":', '{"arguments":', '{"parameters":'];

const longestBeginning = Math.max(...beginnings.map(({ length }) => length));

/** Answers to each next piece of a text whether the text may still become a call. */
export function createCallGuess(): (piece: string) => boolean {
  let begun = "";
  return (piece) => {
    if (begun.length < longestBeginning) begun = (begun + piece.replaceAll(/\s/g, "")).slice(0, longestBeginning);
    return beginnings.some((beginning) => beginning.startsWith(begun) || begun.startsWith(beginning));
  };
}
