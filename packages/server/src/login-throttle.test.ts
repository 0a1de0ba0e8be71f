import { describe, expect, test } from "vitest";
import { createLoginThrottle } from "./login-throttle.ts";
import { openApp } from "./testing/open-app.ts";

const password = "open-sesame";
const wrong = (count: number) => Array.from({ length: count }, (_, index) => `wrong-${index}`);

describe("somebody who guesses the password", () => {
  test("has to wait, even for the right one, while keys are let in", async () => {
    const { as, call, memoir } = await openApp({ password });
    const { secret } = await memoir.keys.create(memoir.defaultActor, { name: "ci" });
    for (const guess of wrong(300)) expect((await as(guess)("GET", "/v1/agents/")).status).toBe(401);
    const refused = await as("wrong-again")("GET", "/v1/agents/");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await as(password)("GET", "/v1/agents/")).status).toBe(429);
    expect((await call("POST", "/v1/auth", {}, { password })).status).toBe(429);
    expect((await call("GET", "/v1/agents/", { "x-bare-password": `password ${password}` })).status).toBe(429);
    expect((await as(secret)("GET", "/v1/agents/")).status).toBe(200);
    expect((await call("GET", "/v1/agents/")).status).toBe(401);
    expect((await call("GET", "/v1/health/")).status).toBe(200);
  });

  test("is counted at /v1/auth too; requests without a password and with unknown keys are not", async () => {
    const { as, call } = await openApp({ password });
    for (const _ of wrong(310)) await call("GET", "/v1/agents/");
    for (const _ of wrong(310)) await as("mk-unknown")("GET", "/v1/agents/");
    expect((await as(password)("GET", "/v1/agents/")).status).toBe(200);
    for (const guess of wrong(300)) {
      expect((await call("POST", "/v1/auth", {}, { password: guess })).status).toBe(401);
    }
    expect((await call("POST", "/v1/auth", {}, { password })).status).toBe(429);
  });

  test("waits a minute at most, and nobody waits for the neighbour", () => {
    let now = 0;
    const throttle = createLoginThrottle(() => now);
    for (const _ of wrong(30)) throttle.fail("192.0.2.1");
    expect(() => throttle.check("192.0.2.1")).toThrow("try again in 60 s");
    expect(() => throttle.check("192.0.2.2")).not.toThrow();
    now = 60_000;
    expect(() => throttle.check("192.0.2.1")).not.toThrow();
  });

  test("cannot take another address of the same network", () => {
    const throttle = createLoginThrottle();
    for (const [index] of wrong(30).entries()) throttle.fail(`2001:db8:1:2::${index.toString(16)}`);
    expect(() => throttle.check("2001:db8:1:2:ffff::1")).toThrow("too many wrong passwords");
    expect(() => throttle.check("2001:db8:1:3::1")).not.toThrow();
  });
});
