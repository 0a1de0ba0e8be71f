/** JSON where there may be none. */
import type { JsonObject, JsonValue } from "../shared/json.ts";

export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export function parseObject(text: string): JsonObject | undefined {
  const value = text.trimStart().startsWith("{") ? parseJson(text) : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}
