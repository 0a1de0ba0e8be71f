/** The passages that the files of a folder were split into. */
import { type Passage, passageEntity } from "../archives/passages.ts";
import { findByIds } from "../engine/entity.ts";
import { listPage, type PageRequest } from "../engine/paging.ts";
import type { Scope } from "../engine/scope.ts";
import { fileEntity } from "./files.ts";

export interface FolderPassage extends Passage {
  readonly fileName: string | null;
}

export async function listFolderPassages(scope: Scope, folderId: string, page: PageRequest): Promise<FolderPassage[]> {
  const query = scope.select("passage").where("passage.folder_id", "=", folderId);
  const passages = await listPage(scope, passageEntity, query, page);
  const fileIds = [...new Set(passages.flatMap(({ fileId }) => fileId ?? []))];
  const files = await findByIds(scope, fileEntity, fileIds);
  const names = new Map<string | null, string>(files.map(({ id, name }) => [id, name]));
  return passages.map((passage) => ({ ...passage, fileName: names.get(passage.fileId) ?? null }));
}
