/** Which of its tools an agent may call. */
import type { Migration } from "./migration.ts";

export const toolPermissions: Migration = {
  name: "0015_tool_permissions",
  statements: () => ["alter table agent add column tool_permissions text"],
};
