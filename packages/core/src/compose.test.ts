import { expect, test } from "vitest";
import { type ClosableParts, closeParts } from "./compose.ts";

test("close stops the work before the parts it writes to, one after the other, and the store last", async () => {
  const log: string[] = [];
  const end = (name: string) => async () => {
    log.push(name);
    await Promise.resolve();
    log.push(`${name} ended`);
  };
  const stops = (name: string) => ({ stop: end(name) });
  const closes = (name: string) => ({ close: end(name) });
  const parts: ClosableParts = {
    store: closes("store"),
    readiness: closes("readiness"),
    audit: closes("audit"),
    bus: { close: () => void log.push("bus", "bus ended") },
    traces: closes("traces"),
    approvalExpiry: stops("approvalExpiry"),
    resealing: stops("resealing"),
    retention: stops("retention"),
    environments: closes("environments"),
    sandboxes: closes("sandboxes"),
    jobs: stops("jobs"),
    webhookSender: stops("webhookSender"),
  };
  await closeParts(parts);
  expect(log).toEqual(
    [
      ...["webhookSender", "jobs", "sandboxes", "environments", "retention", "resealing", "approvalExpiry"],
      ...["traces", "bus", "audit", "readiness", "store"],
    ].flatMap((name) => [name, `${name} ended`]),
  );
});
