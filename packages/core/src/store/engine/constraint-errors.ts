/** What the databases say when a constraint stops a write. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, sqliteUnique, "23505") || hasCode(error, sqlitePrimaryKey, "23505");
}

/** A row was named that does not exist, or one that others still name was to go. */
export function isReferenceViolation(error: unknown): boolean {
  return hasCode(error, sqliteForeignKey, "23503") || hasCode(error, sqliteTrigger, "23001");
}

/** The row itself is refused, now and at every other try. */
export function isRowRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error) return sqliteRowFaults.includes(Number(error.errcode) & 0xff);
  return "code" in error && /^2[23]/.test(String(error.code));
}

/** Too big, against a constraint, of another type. */
const sqliteRowFaults = [18, 19, 20];
const sqliteUnique = 2067;
const sqlitePrimaryKey = 1555;
const sqliteForeignKey = 787;
/** How SQLite reports `on delete restrict`. */
const sqliteTrigger = 1811;

function hasCode(error: unknown, sqlite: number, postgres: string): boolean {
  if (!(error instanceof Error)) return false;
  return ("errcode" in error && error.errcode === sqlite) || ("code" in error && error.code === postgres);
}
