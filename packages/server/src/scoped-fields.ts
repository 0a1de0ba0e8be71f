/** Which fields of a body a key for one agent or conversation may send. */
import { type KeyHolder, MemoirError } from "@memoir/core";
import type { FieldRule, Route } from "./route.ts";

type Key = KeyHolder["key"];
type Fields = Readonly<Record<string, unknown>>;

export function rejectFields({ scopedFields }: Pick<Route, "scopedFields">, key: Key, body: unknown): void {
  const rules = (scopedFields ?? {}) as Readonly<Record<string, FieldRule>>;
  for (const [field, value] of Object.entries(asFields(body))) {
    // `null` counts as not sent, and fields that no schema knows have no effect.
    if (value === null || (scopedFields && !Object.hasOwn(rules, field))) continue;
    rejectField(key, field, rules[field] ?? "refused", value);
  }
}

function rejectField(key: Key, field: string, rule: FieldRule, value: unknown): void {
  if (rule === "free") return;
  if (rule === "refused") {
    throw forbid(field, `the key "${key.name}" is for one agent and may not set ${field}: use a key that is not`);
  }
  if (key.mayOverride) return;
  const found = rule === "overrides" ? field : findOverride(field, rule, value);
  if (found === undefined) return;
  const remedy = "it needs the permission to override (memoir keys create --allow-overrides)";
  throw forbid(found, `the key "${key.name}" is for one agent and may not send ${found}: ${remedy}`);
}

/** The name of what is inside the list and not the user's own word. */
function findOverride(field: string, rule: "messages" | "answers", value: unknown): string | undefined {
  const items = asList(value).map(asFields);
  if (rule === "answers") return items.some(hasArguments) ? `${field}.arguments` : undefined;
  const role = items.map((item) => item.role).find((name) => name !== undefined && name !== "user");
  if (role !== undefined) return `${field} in the role "${String(role).slice(0, 20)}"`;
  const answers = items.flatMap(({ approvals }) => asList(approvals)).map(asFields);
  return answers.some(hasArguments) ? `${field}.approvals.arguments` : undefined;
}

const hasArguments = ({ arguments: edited }: Fields) => edited !== undefined && edited !== null;
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asFields = (value: unknown): Fields => Object(value) as Fields;

function forbid(field: string, message: string): MemoirError {
  return new MemoirError("forbidden", message, { details: { field } });
}
