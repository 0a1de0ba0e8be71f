/** What is to be told to others over HTTP, written with the commit it is about, so that it is told also after a crash. */
import { createCodec, json, plain } from "../engine/codec.ts";
import { deleteById, type Entity, insertEntities } from "../engine/entity.ts";
import type { Scope } from "../engine/scope.ts";

export interface OutboxItem {
  readonly id: string;
  /** The end of a run, or of a batch of them. */
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

/** To be looked at now, whenever it was due. */
export async function hurryOutbox(scope: Scope, kind: OutboxItem["kind"], id: string): Promise<void> {
  await scope
    .update("outbox")
    .set({ due_at: scope.due() })
    .where("kind", "=", kind)
    .where("payload", "=", JSON.stringify({ id }))
    .execute();
}

/** Keeps others from sending it until `until`; false when another process was faster. */
export async function claimOutbox(scope: Scope, { id, dueAt }: OutboxItem, until: number): Promise<boolean> {
  const { numUpdatedRows } = await scope
    .update("outbox")
    .set({ due_at: until, claimed_until: until })
    .where("id", "=", id)
    .where("due_at", "=", dueAt)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** To be tried again at `dueAt`. */
export async function postponeOutbox(
  scope: Scope,
  id: string,
  { dueAt, attempts, error }: Pick<OutboxItem, "dueAt" | "attempts" | "error">,
): Promise<void> {
  const changes = { due_at: dueAt, claimed_until: null, attempts, error };
  await scope.update("outbox").set(changes).where("id", "=", id).execute();
}

/** Not to be sent yet: as if it had not been claimed until `until`. Whoever hurried it meanwhile is heard. */
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

/** What came of telling it, kept with what it was about. */
export async function recordDelivery(scope: Scope, { kind, payload }: OutboxItem, delivery: Delivery): Promise<void> {
  const { sentAt: callback_sent_at, status: callback_status, error: callback_error } = delivery;
  const changes = { callback_sent_at, callback_status, callback_error };
  if (kind === "run") await scope.update("run").set(changes).where("id", "=", payload.id).execute();
  else await scope.update("job").set(changes).where("id", "=", payload.id).execute();
}
