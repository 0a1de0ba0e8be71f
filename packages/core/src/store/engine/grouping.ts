/** Groups rows by owner and keeps their order. */
export function groupRows<R, V>(
  rows: readonly R[],
  owner: (row: R) => string,
  decode: (row: R) => V,
): Map<string, V[]> {
  const groups = new Map<string, V[]>();
  for (const row of rows) {
    const group = groups.get(owner(row));
    if (group) group.push(decode(row));
    else groups.set(owner(row), [decode(row)]);
  }
  return groups;
}
