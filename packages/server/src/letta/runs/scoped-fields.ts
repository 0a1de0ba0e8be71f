/** What a key for one agent or conversation may send to follow a run; the run is one of that conversation. */
import type { FieldRules } from "../../route.ts";
import type { RetrieveStreamWire } from "./schema.ts";

export const streamFields: FieldRules<RetrieveStreamWire> = {
  agent_id: "free",
  run_id: "free",
  otid: "free",
  starting_after: "free",
  include_pings: "free",
  poll_interval: "free",
  batch_size: "free",
};
