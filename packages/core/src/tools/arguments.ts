/** Reads and checks what a model wrote as the arguments of a call. Every refusal says what to send instead. */
import { Ajv, type ValidateFunction } from "ajv";
import { MemoirError } from "../errors.ts";
import type { JsonObject } from "../json.ts";

export function parseArguments(text: string): JsonObject {
  const parsed = text.trim() === "" ? {} : readJson(text);
  // Some models write the JSON as a text inside the JSON.
  const value = typeof parsed === "string" ? readJson(parsed) : parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MemoirError("tool-failed", "The arguments are not a JSON object. Call the tool again with an object.");
  }
  return value as JsonObject;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable";
    throw new MemoirError(
      "tool-failed",
      `The arguments are not valid JSON (${reason}). Nothing was done. Call the tool again with one complete JSON object.`,
    );
  }
}

const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false, validateFormats: false });
const validators = new WeakMap<JsonObject, ValidateFunction>();

export function checkArguments(tool: string, schema: JsonObject, args: JsonObject): void {
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  if (validate(args)) return;
  const faults = (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const allowed = "allowedValues" in params ? `: ${(params.allowedValues as unknown[]).join(", ")}` : "";
    return `${instancePath === "" ? "the arguments" : instancePath.slice(1)} ${message}${allowed}`;
  });
  throw new MemoirError(
    "tool-failed",
    `The arguments of ${tool} do not fit: ${faults.join("; ")}. Nothing was done. Correct them and call it again.`,
  );
}
