/** From a query to a list of messages. Cursors are chronological: `after` is newer, whatever the order. */
import type { MessageListRequest } from "@memoir/core";
import { toPage } from "../shared/paging.ts";
import type { MessageListQuery } from "./list-schema.ts";

export function fromMessageList(query: MessageListQuery): MessageListRequest {
  const { limit, order, after, before } = toPage(query, { limit: 100, order: "desc" });
  return {
    page: { limit, from: order === "desc" ? "newest" : "oldest", after, before },
    filter: { groupId: query.group_id, withErrors: query.include_err },
  };
}
