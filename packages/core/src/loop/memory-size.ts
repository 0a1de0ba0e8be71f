/** What an object or list costs without what it holds, and a field or an item of one. */
const objectBytes = 56;
const fieldBytes = 12;
const characterBytes = 2;

/** About how much memory plain data without cycles takes, more rather than less; without a call for each level of it. */
export function estimateBytes(data: unknown): number {
  let bytes = 0;
  const open = [data];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") bytes += objectBytes + value.length * characterBytes;
    if (typeof value !== "object" || value === null) continue;
    const parts = Object.values(value);
    bytes += objectBytes + parts.length * fieldBytes;
    for (const part of parts) open.push(part);
  }
  return bytes;
}
