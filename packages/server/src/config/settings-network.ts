/** What tools, callbacks and models may reach on the network. */
import { oneOf, parseAddress, parseList } from "./parsers.ts";
import { defineSetting } from "./setting.ts";

export const networkSettings = {
  mcpStdio: defineSetting({
    variables: ["MEMOIR_MCP_STDIO"],
    help: "MCP servers started as programs: deny or allow",
    default: "deny",
    parse: oneOf("deny", "allow"),
    toMemoir: (mcpStdio) => ({ mcpPrograms: mcpStdio === "allow" }),
  }),
  mcpAllowPrivate: defineSetting({
    variables: ["MEMOIR_MCP_ALLOW_PRIVATE"],
    help: "inside hosts that MCP, callbacks and REST tools may reach, comma separated",
    default: "",
    parse: parseList,
    toMemoir: (privateHosts) => ({ privateHosts }),
  }),
  searxngUrl: defineSetting({
    variables: ["MEMOIR_SEARXNG_URL"],
    help: "address of a SearXNG that web_search asks when there is no key for Exa or Tavily",
    parse: parseAddress,
  }),
  fetchAllowPrivate: defineSetting({
    variables: ["MEMOIR_FETCH_ALLOW_PRIVATE"],
    help: "inside hosts whose pages and images may be fetched, comma separated",
    default: "",
    parse: parseList,
  }),
  modelAllowPrivate: defineSetting({
    variables: ["MEMOIR_MODEL_ALLOW_PRIVATE"],
    help: "inside hosts that models named by callers may be at, comma separated",
    default: "",
    parse: parseList,
    toMemoir: (privateModelHosts) => ({ privateModelHosts }),
  }),
};
