/** Tells a caller in a header what of an agent does not work yet: the answer itself has no field for it. */
import type { FastifyReply } from "fastify";

export const noticeHeader = "x-memoir-notice";

/** Header values are ASCII; names of tools in a notice may not be. */
export function setNotices(reply: FastifyReply, notices: readonly string[]): void {
  if (notices.length === 0) return;
  reply.header(noticeHeader, notices.join(" ").replaceAll(/[^\x20-\x7e]/g, "?"));
}
