/**
 * Compares an answer of ours with a recorded one. Values must be equal, but ids and times differ from run to run: an id
 * must be of the same kind and stand wherever the recorded one stands, a time must be written in the same form.
 */
export interface Difference {
  /** Where in the body: `blocks[0].value`. Items that have a name are found by it: `tools[send_message].id`. */
  readonly path: string;
  readonly recorded: unknown;
  readonly ours: unknown;
}

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
const idPattern = new RegExp(`\\b([a-z_]+(?:-env|-oauth)?)-${uuid}`, "g");
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Which id of ours stands for which recorded one. It grows as answers are compared. */
export class IdMap {
  readonly #ours = new Map<string, string>();

  /** A recorded text with our ids in it; an id not met yet stays. */
  translate(text: string): string {
    return text.replaceAll(idPattern, (id) => this.#ours.get(id) ?? id);
  }

  /** Whether our text is the recorded one but for ids, which are learned on the way. */
  matches(recorded: string, ours: string): boolean {
    const [theirIds, ourIds] = [recorded.match(idPattern) ?? [], ours.match(idPattern) ?? []];
    if (theirIds.length !== ourIds.length) return false;
    for (const [index, id] of theirIds.entries()) {
      const counterpart = ourIds[index] ?? "";
      if (prefixOf(id) === prefixOf(counterpart) && !this.#ours.has(id)) this.#ours.set(id, counterpart);
    }
    return this.translate(recorded) === ours;
  }
}

const prefixOf = (id: string) => id.slice(0, -37);

export function compareWire(ids: IdMap, recorded: unknown, ours: unknown, path = ""): Difference[] {
  if (Array.isArray(recorded) && Array.isArray(ours)) return compareLists(ids, recorded, ours, path);
  if (isObject(recorded) && isObject(ours)) {
    const keys = [...new Set([...Object.keys(recorded), ...Object.keys(ours)])];
    return keys.flatMap((key) => {
      const place = path === "" ? key : `${path}.${key}`;
      if (!(key in ours)) return [{ path: place, recorded: recorded[key], ours: "(absent)" }];
      if (!(key in recorded)) return [{ path: place, recorded: "(absent)", ours: ours[key] }];
      return compareWire(ids, recorded[key], ours[key], place);
    });
  }
  return isSame(ids, recorded, ours) ? [] : [{ path, recorded, ours }];
}

/**
 * Where fields that both have stand in another order; of lists that differ in length, the part that both have. A
 * difference is named by its place, with `.keys` behind it.
 */
export function compareKeyOrder(recorded: unknown, ours: unknown, path = ""): Difference[] {
  if (Array.isArray(recorded) && Array.isArray(ours)) {
    return recorded
      .slice(0, ours.length)
      .flatMap((item, index) => compareKeyOrder(item, ours[index], `${path}[${index}]`));
  }
  if (!isObject(recorded) || !isObject(ours)) return [];
  const [theirs, own] = [
    Object.keys(recorded).filter((key) => key in ours),
    Object.keys(ours).filter((key) => key in recorded),
  ];
  const inner = theirs.flatMap((key) =>
    compareKeyOrder(recorded[key], ours[key], path === "" ? key : `${path}.${key}`),
  );
  if (theirs.join() === own.join()) return inner;
  return [{ path: `${path}.keys`, recorded: theirs.join(), ours: own.join() }, ...inner];
}

function isSame(ids: IdMap, recorded: unknown, ours: unknown): boolean {
  if (typeof recorded !== "string" || typeof ours !== "string") return recorded === ours;
  const form = (text: string) => text.replaceAll(/\d/g, "0");
  if (timePattern.test(recorded)) return form(recorded) === form(ours);
  return ids.matches(recorded, ours);
}

/** Named items are found by name wherever they stand; if they stand elsewhere, that is a difference of its own. */
function compareLists(ids: IdMap, recorded: unknown[], ours: unknown[], path: string): Difference[] {
  if (isReordered(recorded, ours)) return [{ path: `${path}.order`, recorded, ours }];
  const [theirNames, ourNames] = [recorded.map(nameOf), ours.map(nameOf)];
  if (!areNames(theirNames) || !areNames(ourNames)) return compareByIndex(ids, recorded, ours, path);
  const differences = recorded.flatMap((item, index) => {
    const counterpart = ourNames.indexOf(theirNames[index]);
    const place = `${path}[${theirNames[index]}]`;
    return counterpart === -1
      ? [{ path: place, recorded: "(present)", ours: "(absent)" }]
      : compareWire(ids, item, ours[counterpart], place);
  });
  const extra = ourNames.filter((name) => !theirNames.includes(name));
  differences.push(...extra.map((name) => ({ path: `${path}[${name}]`, recorded: "(absent)", ours: "(present)" })));
  const shared = (names: (string | undefined)[], others: (string | undefined)[]) =>
    names.filter((name) => others.includes(name)).join(", ");
  const [theirOrder, ourOrder] = [shared(theirNames, ourNames), shared(ourNames, theirNames)];
  if (theirOrder !== ourOrder) differences.push({ path: `${path}.order`, recorded: theirOrder, ours: ourOrder });
  return differences;
}

/** The same texts, in another order. */
function isReordered(recorded: unknown[], ours: unknown[]): boolean {
  if (![...recorded, ...ours].every((item) => typeof item === "string")) return false;
  const sorted = (items: unknown[]) => JSON.stringify([...items].sort());
  return sorted(recorded) === sorted(ours) && JSON.stringify(recorded) !== JSON.stringify(ours);
}

function compareByIndex(ids: IdMap, recorded: unknown[], ours: unknown[], path: string): Difference[] {
  const length = { path: `${path}.length`, recorded: recorded.length, ours: ours.length };
  const shared = Math.min(recorded.length, ours.length);
  const items = recorded
    .slice(0, shared)
    .flatMap((item, index) => compareWire(ids, item, ours[index], `${path}[${index}]`));
  return recorded.length === ours.length ? items : [length, ...items];
}

function areNames(names: (string | undefined)[]): boolean {
  return !names.includes(undefined) && new Set(names).size === names.length;
}

function nameOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  if (typeof item.tool_name === "string") return `${item.type}:${item.tool_name}`;
  // Tools in a request to a model.
  if (isObject(item.function) && !("id" in item)) return nameOf(item.function);
  const name = item.name ?? item.label;
  return typeof name === "string" ? name : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
