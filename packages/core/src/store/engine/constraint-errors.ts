/** Recognizes constraint violations of both databases. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, sqliteUnique, "23505") || hasCode(error, sqlitePrimaryKey, "23505");
}

/** A foreign key violation: the referenced row is missing, or a referenced row was to be deleted. */
export function isReferenceViolation(error: unknown): boolean {
  return hasCode(error, sqliteForeignKey, "23503") || hasCode(error, sqliteTrigger, "23001");
}

/** A permanent failure of the row itself, which a retry cannot fix. */
export function isRowRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error) return sqliteRowFaults.includes(Number(error.errcode) & 0xff);
  return "code" in error && /^2[23]/.test(String(error.code));
}

/** SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH. */
const sqliteRowFaults = [18, 19, 20];
const sqliteUnique = 2067;
const sqlitePrimaryKey = 1555;
const sqliteForeignKey = 787;
/** SQLITE_CONSTRAINT_TRIGGER, which SQLite reports for `on delete restrict`. */
const sqliteTrigger = 1811;

function hasCode(error: unknown, sqlite: number, postgres: string): boolean {
  if (!(error instanceof Error)) return false;
  return ("errcode" in error && error.errcode === sqlite) || ("code" in error && error.code === postgres);
}
