/** Reading what somebody else's server sent: nothing is taken for granted, and what does not fit is left out. */

export type Fields = Readonly<Record<string, unknown>>;

export function toFields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The objects of a list. */
export function toList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(toFields) : [];
}

export function toText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Whole and positive, as sizes are; some servers put them into text. */
export function toSize(value: unknown): number | undefined {
  const size = typeof value === "string" ? Number(value) : value;
  return typeof size === "number" && Number.isSafeInteger(size) && size > 0 && size <= 2_147_483_647 ? size : undefined;
}

/** The first of the named fields that holds a size. */
export function findSize(fields: Fields, ...names: readonly string[]): number | undefined {
  return names.map((name) => toSize(fields[name])).find((size) => size !== undefined);
}
