/** Bodies that are kept once per organization, under their hash: images of messages, texts of prompts. */
import { createHash } from "node:crypto";
import type { Scope } from "./scope.ts";

export interface StoredContent {
  readonly hash: string;
  readonly mediaType: string;
  readonly body: Uint8Array;
}

export async function putContent(scope: Scope, mediaType: string, body: Uint8Array): Promise<string> {
  const hash = createHash("sha256").update(mediaType).update("\0").update(body).digest("hex");
  await scope
    .insert("content", { hash, media_type: mediaType, body, created_at: scope.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return hash;
}

export async function findContents(scope: Scope, hashes: readonly string[]): Promise<Map<string, StoredContent>> {
  if (hashes.length === 0) return new Map();
  const rows = await scope
    .select("content")
    .select(["hash", "media_type as mediaType", "body"])
    .where("hash", "in", [...new Set(hashes)])
    .execute();
  return new Map(rows.map((row) => [row.hash, row]));
}
