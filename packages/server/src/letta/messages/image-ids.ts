/** Ids of stored images, in the form clients know: the same for the same image. */
export function fileIdOf(hash: string): string {
  const part = (start: number, end: number) => hash.slice(start, end);
  return `file-${part(0, 8)}-${part(8, 12)}-4${part(12, 15)}-8${part(15, 18)}-${part(18, 30)}`;
}

/** What such an id tells of the hash; empty for another id. */
export function hashStartOf(fileId: string): string {
  const match = /^file-([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/.exec(fileId);
  return match ? match.slice(1).join("") : "";
}
