/** Reading JSON that nobody has checked. */

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; none for anything else. */
export function toRecord(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function toCount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && Number.isFinite(value) ? value : undefined;
}
