/** From zod's issues to the records that clients of the old server know. */
import type { z } from "zod";
import { ValidationError, type ValidationRecord } from "./validation-error.ts";

export type Place = "path" | "query" | "body";

export function parseInput<T>(schema: z.ZodType<T>, input: unknown, place: Place): T {
  const result = parseOdd(schema, input, place);
  if (result.success) return result.data;
  const issues = result.error.issues.flatMap(flattenUnion);
  const records = toRecords(issues, place);
  throw new ValidationError(records, place === "path" ? issues.slice(0, maxRecords).flatMap(exampleOf) : []);
}

const maxRecords = 50;

function toRecords(issues: readonly Issue[], place: Place): ValidationRecord[] {
  if (issues.length <= maxRecords) return issues.map((issue) => toRecord(issue, place));
  const shown = issues.slice(0, maxRecords - 1).map((issue) => toRecord(issue, place));
  const msg = `${issues.length - shown.length} more errors are not shown`;
  return [...shown, { type: "more_errors", loc: [place], msg, input: null }];
}

/** Lengths are checked of whatever has one: an object whose `length` cannot be compared makes that check throw. */
function parseOdd<T>(schema: z.ZodType<T>, input: unknown, place: Place): z.ZodSafeParseResult<T> {
  try {
    return schema.safeParse(input, { reportInput: true });
  } catch (error) {
    const isOdd = error instanceof TypeError && error.message === "Cannot convert object to primitive value";
    if (!isOdd) throw error;
    const msg = "Input holds an object where a text or a list should be";
    throw new ValidationError([{ type: "value_error", loc: [place], msg, input: null }]);
  }
}

type Issue = z.core.$ZodIssue;

/** A union that fits nowhere reports its most promising branch: the one that got furthest. */
function flattenUnion(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const branches = issue.errors.map((branch) =>
    branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as Issue),
  );
  const misnamed = branches.map((branch) => findTypeIssue(branch, issue.path.length));
  const meant = branches.filter((_, index) => !misnamed[index]);
  const [first] = misnamed;
  if (meant.length === 0 && first) return [{ ...first, values: misnamed.flatMap((other) => other?.values ?? []) }];
  const best = meant.reduce((left, right) => (depthOf(right) > depthOf(left) ? right : left));
  return best.flatMap(flattenUnion);
}

/** A `type` that is another than the branch has says that the branch is not meant. */
function findTypeIssue(branch: readonly Issue[], depth: number): z.core.$ZodIssueInvalidValue | undefined {
  return branch.find(
    (issue): issue is z.core.$ZodIssueInvalidValue =>
      issue.code === "invalid_value" && issue.path.length === depth + 1 && issue.path[depth] === "type",
  );
}

function depthOf(issues: readonly Issue[]): number {
  return issues.reduce((depth, { path }) => Math.max(depth, path.length), 0) - issues.length / 1000;
}

function toRecord(issue: Issue, place: Place): ValidationRecord {
  const loc = [place, ...issue.path.map((key) => (typeof key === "number" ? key : String(key)))];
  const input = shorten(issue.input);
  const isWrong = issue.code === "invalid_type" || issue.code === "invalid_value";
  if (isWrong && issue.input === undefined) {
    return { type: "missing", loc, msg: "Field required", input: null };
  }
  if (issue.code === "invalid_type") {
    // Queries have no numbers but whole ones.
    const isInteger = issue.expected === "int" || (issue.expected === "number" && place === "query");
    const expected = isInteger ? "integer" : issue.expected;
    return { type: `${expected}_type`, loc, msg: `Input should be a valid ${expected}`, input };
  }
  if (issue.code === "unrecognized_keys") {
    const msg = `Extra inputs are not permitted: ${nameSome(issue.keys)}`;
    return { type: "extra_forbidden", loc: [...loc, ...issue.keys.slice(0, 1)], msg, input: null };
  }
  const choices = choicesOf(issue);
  if (choices) {
    const expected = choices.map((value) => `'${String(value)}'`).join(", ");
    return { type: "enum", loc, msg: `Input should be ${expected}`, input, ctx: { expected } };
  }
  const prefix = idPrefixOf(issue);
  if (prefix !== undefined) {
    return { type: "string_pattern_mismatch", loc, msg: `String should match pattern '${prefix}-{uuid4}'`, input };
  }
  return { type: issue.code === "custom" ? "value_error" : issue.code, loc, msg: issue.message, input };
}

function choicesOf(issue: Issue): readonly unknown[] | undefined {
  if (issue.code === "invalid_value") return issue.values;
  return issue.code === "invalid_union" && "options" in issue ? issue.options : undefined;
}

/** Ids are checked by patterns of one form, so the prefix can be read off. */
function idPrefixOf(issue: Issue): string | undefined {
  if (issue.code !== "invalid_format" || issue.format !== "regex" || !("pattern" in issue)) return undefined;
  return /^\/\^([a-z_-]+)-\[0-9a-f\]\{8\}/.exec(String(issue.pattern))?.[1];
}

function exampleOf(issue: Issue): string[] {
  const prefix = idPrefixOf(issue);
  return prefix === undefined ? [] : [`${prefix}-123e4567-e89b-42d3-8456-426614174000`];
}

function nameSome(keys: readonly string[]): string {
  const shown = keys.slice(0, 20).map((key) => key.slice(0, 100));
  return keys.length > shown.length ? `${shown.join(", ")} and ${keys.length - shown.length} more` : shown.join(", ");
}

const maxInput = 200;

function shorten(input: unknown): unknown {
  const text = JSON.stringify(cut(input)) ?? "null";
  return text.length > maxInput ? `${text.slice(0, maxInput)}…` : (input ?? null);
}

/** Copies what is shown of `input` and a little more: after `left` parts the text is longer than `maxInput`. */
function cut(input: unknown, budget = { left: maxInput + 1 }): unknown {
  budget.left--;
  if (typeof input === "string") return input.slice(0, maxInput + 1);
  if (typeof input !== "object" || input === null) return input;
  if (budget.left <= 0) return null;
  if (Array.isArray(input)) return input.slice(0, budget.left).map((item) => cut(item, budget));
  const entries = Object.entries(input).slice(0, budget.left);
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(0, maxInput), cut(value, budget)]));
}
