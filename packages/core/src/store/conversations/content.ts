/** Content stored once per organization by hash: images of messages and texts of prompts. */
import { createHash } from "node:crypto";
import { isInList } from "../engine/in-list.ts";
import type { Scope } from "../engine/scope.ts";

export interface StoredContent {
  readonly hash: string;
  readonly mediaType: string;
  readonly body: Uint8Array;
}

export function hashContent(mediaType: string, body: Uint8Array | string): string {
  return createHash("sha256").update(mediaType).update("\0").update(body).digest("hex");
}

export async function putContent(scope: Scope, mediaType: string, body: Uint8Array): Promise<string> {
  const hash = hashContent(mediaType, body);
  await scope
    .insert("content", { hash, media_type: mediaType, body, created_at: scope.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return hash;
}

/** Idempotent: existing contents stay as they are. */
export async function putContents(scope: Scope, contents: readonly StoredContent[]): Promise<void> {
  if (contents.length === 0) return;
  const at = scope.now();
  const rows = contents.map(({ hash, mediaType, body }) => ({ hash, media_type: mediaType, body, created_at: at }));
  await scope
    .insert("content", rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Finds an image by a hash prefix, because its id on the wire has no room for the whole hash. */
export async function findImage(
  scope: Scope,
  hashStart: string,
): Promise<{ readonly hash: string; readonly mediaType: string } | undefined> {
  return await scope
    .select("content")
    .select(["hash", "media_type as mediaType"])
    .where("content.hash", ">=", hashStart)
    .where("content.hash", "<", `${hashStart}g`)
    .where("content.media_type", "like", "image/%")
    .limit(1)
    .executeTakeFirst();
}

export async function findContents(scope: Scope, hashes: readonly string[]): Promise<Map<string, StoredContent>> {
  if (hashes.length === 0) return new Map();
  const rows = await scope
    .select("content")
    .select(["hash", "media_type as mediaType", "body"])
    .where(isInList(scope, "content.hash", [...new Set(hashes)]))
    .execute();
  return new Map(rows.map((row) => [row.hash, row]));
}
