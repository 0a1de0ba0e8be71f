/**
 * One PostgreSQL and one Redis for a whole run of Vitest. Tests find them in MEMOIR_TEST_POSTGRES (the administrator's
 * address: each test makes a database of its own) and MEMOIR_TEST_REDIS; set beforehand, these name a server of yours
 * and none is started. If a name is not set, the reason is `whyMissing("postgres")` or `whyMissing("redis")`.
 */
import { hasPostgres, hasRedis, type Service, startPostgres, startRedis } from "./services.ts";

export async function setup(): Promise<() => Promise<void>> {
  const started = await Promise.all([
    offer("MEMOIR_TEST_POSTGRES", hasPostgres(), () => startPostgres({ fsync: false })),
    offer("MEMOIR_TEST_REDIS", hasRedis(), startRedis),
  ]);
  return async () => {
    await Promise.all(started.map((service) => service?.stop()));
  };
}

async function offer(name: string, isThere: boolean, start: () => Promise<Service>): Promise<Service | undefined> {
  if (process.env[name] || !isThere) return undefined;
  const service = await start();
  process.env[name] = service.url;
  return service;
}
