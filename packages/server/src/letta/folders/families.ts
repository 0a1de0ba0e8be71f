/** Folders have two families of paths, the older of which calls them sources. They lead to the same rows. */
import type { Folder } from "@memoir/core";
import type { z } from "zod";
import { toFolderWire, toSourceWire } from "./mapper.ts";
import { type FolderParam, FolderWire, SourceWire } from "./schema.ts";

export interface Family {
  readonly root: "/v1/folders" | "/v1/sources";
  readonly tag: string;
  readonly param: FolderParam;
  readonly isDeprecated: boolean;
  readonly wire: z.ZodType<FolderWire>;
  readonly toWire: (folder: Folder, orgId: string) => FolderWire;
  /** Clients of the older family expect all of a list at once. */
  readonly listLimit: number;
  readonly operations: Readonly<Record<Operation, string>>;
}

type Operation =
  | "list"
  | "create"
  | "count"
  | "metadata"
  | "byName"
  | "retrieve"
  | "modify"
  | "delete"
  | "upload"
  | "agents"
  | "passages"
  | "files"
  | "file"
  | "deleteFile";

const everything = 2_147_483_647;

export const families: readonly Family[] = [
  {
    root: "/v1/folders",
    tag: "folders",
    param: "folder_id",
    isDeprecated: false,
    wire: FolderWire,
    toWire: toFolderWire,
    listLimit: 50,
    operations: {
      list: "list_folders",
      create: "create_folder",
      count: "count_folders",
      metadata: "retrieve_metadata",
      byName: "get_folder_by_name",
      retrieve: "retrieve_folder",
      modify: "modify_folder",
      delete: "delete_folder",
      upload: "upload_file_to_folder",
      agents: "list_agents_for_folder",
      passages: "list_folder_passages",
      files: "list_files_for_folder",
      file: "retrieve_file",
      deleteFile: "delete_file_from_folder",
    },
  },
  {
    root: "/v1/sources",
    tag: "sources",
    param: "source_id",
    isDeprecated: true,
    wire: SourceWire,
    toWire: toSourceWire,
    listLimit: everything,
    operations: {
      list: "list_sources",
      create: "create_source",
      count: "count_sources",
      metadata: "get_sources_metadata",
      byName: "get_source_id_by_name",
      retrieve: "retrieve_source",
      modify: "modify_source",
      delete: "delete_source",
      upload: "upload_file_to_source",
      agents: "get_agents_for_source",
      passages: "list_source_passages",
      files: "list_source_files",
      file: "get_file_metadata",
      deleteFile: "delete_file_from_source",
    },
  },
];
