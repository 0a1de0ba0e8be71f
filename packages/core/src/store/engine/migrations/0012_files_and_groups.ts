/**
 * Files of a folder and of an agent page in the order they were made, and a group's messages are found without going
 * through those of its members.
 */
import type { Migration } from "./migration.ts";

export const filesAndGroups: Migration = {
  name: "0012_files_and_groups",
  statements: () => [
    `create index file_folder on file (folder_id, created_at, id)`,
    `create index agent_file_agent on agent_file (agent_id, created_at, id)`,
    `create index message_group on message (group_id, seq) where group_id is not null`,
  ],
};
