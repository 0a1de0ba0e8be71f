/** The transactional outbox: webhooks are written in the commit they report, so that a crash does not lose them. */
import { createCodec, json, plain } from "../engine/codec.ts";
import { deleteById, type Entity, insertEntities } from "../engine/entity.ts";
import type { Scope } from "../engine/scope.ts";

export interface OutboxItem {
  readonly id: string;
  /** The end of a run or of a batch. */
  readonly kind: "run" | "batch";
  readonly target: string;
  readonly payload: { readonly id: string };
  readonly attempts: number;
  readonly dueAt: number;
  readonly error: string | null;
  readonly createdAt: number;
}

export const outboxEntity: Entity<OutboxItem, "outbox"> = {
  table: "outbox",
  name: "outbox item",
  codec: createCodec<OutboxItem>("outbox", {
    id: plain("id"),
    kind: plain("kind"),
    target: plain("target"),
    payload: json("payload"),
    attempts: plain("attempts"),
    dueAt: plain("due_at"),
    error: plain("error"),
    createdAt: plain("created_at"),
  }),
};

export async function putOutbox(scope: Scope, kind: OutboxItem["kind"], target: string, id: string): Promise<void> {
  const at = scope.now();
  const item = { kind, target, payload: { id }, attempts: 0, dueAt: scope.due(), error: null, createdAt: at };
  await insertEntities(scope, outboxEntity, [{ id: scope.newId("outbox"), ...item }]);
}

/** Makes the item due now. */
export async function expediteOutbox(scope: Scope, kind: OutboxItem["kind"], id: string): Promise<void> {
  await scope
    .update("outbox")
    .set({ due_at: scope.due() })
    .where("kind", "=", kind)
    .where("payload", "=", JSON.stringify({ id }))
    .execute();
}

/** Leases the item until `until`; false if another process claimed it first. */
export async function claimOutbox(scope: Scope, { id, dueAt }: OutboxItem, until: number): Promise<boolean> {
  const { numUpdatedRows } = await scope
    .update("outbox")
    .set({ due_at: until, claimed_until: until })
    .where("id", "=", id)
    .where("due_at", "=", dueAt)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Schedules another attempt at `dueAt`. */
export async function postponeOutbox(
  scope: Scope,
  id: string,
  { dueAt, attempts, error }: Pick<OutboxItem, "dueAt" | "attempts" | "error">,
): Promise<void> {
  const changes = { due_at: dueAt, claimed_until: null, attempts, error };
  await scope.update("outbox").set(changes).where("id", "=", id).execute();
}

/** Releases a claim that ran until `until`; if `expediteOutbox` was called meanwhile, the item stays due. */
export async function returnOutbox(scope: Scope, item: OutboxItem, until: number, dueAt: number): Promise<void> {
  await scope.update("outbox").set({ claimed_until: null }).where("id", "=", item.id).execute();
  await scope.update("outbox").set({ due_at: dueAt }).where("id", "=", item.id).where("due_at", "=", until).execute();
}

export const dropOutbox = (scope: Scope, id: string): Promise<void> => deleteById(scope, outboxEntity, id);

export interface Delivery {
  readonly sentAt: number;
  readonly status: number | null;
  readonly error: string | null;
}

/** Stores the result of the delivery with its run or batch. */
export async function recordDelivery(scope: Scope, { kind, payload }: OutboxItem, delivery: Delivery): Promise<void> {
  const { sentAt: callback_sent_at, status: callback_status, error: callback_error } = delivery;
  const changes = { callback_sent_at, callback_status, callback_error };
  if (kind === "run") await scope.update("run").set(changes).where("id", "=", payload.id).execute();
  else await scope.update("job").set(changes).where("id", "=", payload.id).execute();
}
