/** Files as an upload will leave them, put into the database by hand while uploads are not read. */
import { defaultOrgId } from "@memoir/core";
import { onTestFinished } from "vitest";
import { insertFile } from "../packages/core/src/store/files.ts";
import { Store } from "../packages/core/src/store/store.ts";

export async function storeFile(
  database: string,
  folder: { readonly id: string; readonly name: string },
  name: string,
  text: string,
): Promise<string> {
  const store = await Store.open({ database });
  onTestFinished(() => store.close());
  return await store.write(defaultOrgId, async (scope) => {
    const at = scope.now();
    const id = scope.newId("file");
    const file = {
      id,
      folderId: folder.id,
      name: `${folder.name}/${name}`,
      originalName: name,
      mediaType: "text/plain",
      size: text.length,
      status: "completed" as const,
      error: null,
      totalChunks: null,
      chunksEmbedded: null,
      contentHash: null,
      sourceCreatedAt: null,
      sourceUpdatedAt: null,
      createdAt: at,
      updatedAt: at,
      createdBy: null,
      updatedBy: null,
    };
    await insertFile(scope, file, text);
    return id;
  });
}
