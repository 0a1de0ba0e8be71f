/** From a query to a list of messages. Cursors are chronological: `after` is newer, whatever the order. */
import type { MessageListRequest, MessagePage } from "@memoir/core";
import { type PageQuery, toPage } from "../shared/paging.ts";
import type { MessageListQuery } from "./list-schema.ts";

export function fromMessageList(query: MessageListQuery): MessageListRequest {
  const { limit, order, after, before } = toPage(query, { limit: 100, order: "desc" });
  return {
    page: { limit, from: order === "desc" ? "newest" : "oldest", after, before },
    filter: { groupId: query.group_id, withErrors: query.include_err },
  };
}

/** Lists of few messages, where cursors follow the order asked for: that is how clients go through all pages. */
export function fromOrderedPage(query: PageQuery): MessagePage {
  const { limit, order, after, before } = toPage(query, { limit: 100, order: "asc" });
  return order === "desc"
    ? { limit, from: "newest", after: before, before: after }
    : { limit, from: "oldest", after, before };
}
