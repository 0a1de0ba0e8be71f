/** How runs wait: for each other, for approval and for clients. */
import { defaultOptions } from "@memoir/core";
import { oneOf, parseCount } from "./parsers.ts";
import { defineSetting } from "./setting.ts";

export const runSettings = {
  busy: defineSetting({
    variables: ["MEMOIR_BUSY"],
    help: "a second message to a busy conversation: queue or reject",
    default: "queue",
    parse: oneOf("queue", "reject"),
    toApp: (busy) => ({ refusesBusy: busy === "reject" }),
  }),
  approvalTimeout: defineSetting({
    variables: ["MEMOIR_APPROVAL_TIMEOUT"],
    help: "seconds a tool call waits for approval before it counts as denied",
    libraryDefault: defaultOptions.approvalSeconds,
    parse: parseCount,
    toMemoir: (approvalSeconds) => ({ approvalSeconds }),
  }),
  clientToolTimeout: defineSetting({
    variables: ["MEMOIR_CLIENT_TOOL_TIMEOUT"],
    help: "seconds a tool call waits for the client that runs it before it counts as denied",
    libraryDefault: defaultOptions.clientToolSeconds,
    parse: parseCount,
    toMemoir: (clientToolSeconds) => ({ clientToolSeconds }),
  }),
};
