/** Which of Composio's actions a stored tool stands for. */
import type { Tool } from "../../store/tools/tools.ts";

/** Rows of the oldest kind hold a program that names it; all others are named after it, in small letters. */
const named = /\b(?:action\s*=\s*|actions\s*=\s*\[\s*)(?:Action\.(\w+)|["'](\w+)["'])/;

export function actionOf({ name, source }: Pick<Tool, "name" | "source">): string {
  const found = named.exec(source ?? "");
  return (found?.[1] ?? found?.[2] ?? name).toUpperCase();
}
