/** What stands behind the equals sign of a class's field: a default, or `Field(…)` or `field(…)` with more to say. */
import type { Node } from "../grammars.ts";
import { field, partsOf } from "../nodes.ts";
import { readText } from "./literals.ts";
import { lastOf } from "./read-type.ts";

export interface FieldValue {
  readonly hasDefault: boolean;
  readonly description?: string;
  /** The name that callers know it by. */
  readonly alias?: string;
}

/** Three dots stand for a value that is still to come. */
export const isGiven = (value: Node): boolean => value.type !== "ellipsis";

export function readField(value: Node | undefined): FieldValue {
  if (!value) return { hasDefault: false };
  const isField = value.type === "call" && /^[Ff]ield$/.test(lastOf(field(value, "function")?.text ?? ""));
  if (!isField) return { hasDefault: isGiven(value) };
  const args = partsOf(field(value, "arguments") ?? value);
  const named = readNamed(args);
  const first = args.find(({ type }) => type !== "keyword_argument");
  const standard = first ?? named.get("default");
  const [description, alias] = [readNamedText(named, "description"), readNamedText(named, "alias")];
  return {
    hasDefault: named.has("default_factory") || (standard !== undefined && isGiven(standard)),
    ...(description ? { description } : {}),
    ...(alias ? { alias } : {}),
  };
}

function readNamed(args: readonly Node[]): ReadonlyMap<string, Node> {
  return new Map(
    args.flatMap((arg): [string, Node][] => {
      const value = arg.type === "keyword_argument" ? field(arg, "value") : undefined;
      return value ? [[field(arg, "name")?.text ?? "", value]] : [];
    }),
  );
}

function readNamedText(named: ReadonlyMap<string, Node>, name: string): string | undefined {
  const value = named.get(name);
  return value && readText(value);
}

/** `Annotated[str, "what it is"]`, also with the text inside `Field(description=…)` or `Doc(…)`. */
export function findNote(notes: readonly Node[]): string | undefined {
  for (const note of notes) {
    const args = note.type === "call" ? partsOf(field(note, "arguments") ?? note) : [];
    const isDoc = lastOf(field(note, "function")?.text ?? "") === "Doc";
    const text = note.type !== "call" ? readText(note) : isDoc && args[0] ? readText(args[0]) : undefined;
    const found = text ?? readNamedText(readNamed(args), "description");
    if (found) return found;
  }
  return undefined;
}
