import { expect, test } from "vitest";
import { createClock, createDueClock } from "./clock.ts";

const hour = 3_600_000;

function createTime() {
  const time = { wall: 1_000 * hour, elapsed: 5 };
  return {
    sources: { wall: () => time.wall, elapsed: () => time.elapsed },
    pass(ms: number) {
      time.wall += ms;
      time.elapsed += ms;
    },
    set(ms: number) {
      time.wall += ms;
    },
  };
}

test("moments follow each other, and never twice the same", () => {
  const { sources, pass } = createTime();
  const now = createClock(sources);
  const first = now();
  expect(first).toBe(1_000 * hour * 1_000);
  expect(now()).toBe(first + 1);
  pass(2);
  expect(now()).toBe(first + 2_000);
});

test("a clock that is set back neither stops time nor turns the order round, and is caught up with", () => {
  const { sources, pass, set } = createTime();
  const now = createClock(sources);
  const before = now();
  set(-hour);
  pass(60_000);
  const after = now();
  expect(after - before).toBe(30_000_000);
  pass(2 * hour);
  expect(now()).toBe(sources.wall() * 1_000);
});

test("what is due comes due in time although the clock was set back, and after the machine slept", () => {
  const { sources, pass, set } = createTime();
  const due = createDueClock(sources);
  const at = due() + 5_000 * 1_000;
  set(-24 * hour);
  pass(4_999);
  expect(due()).toBeLessThan(at);
  pass(1);
  expect(due()).toBe(at);
  set(25 * hour);
  expect(due()).toBe(sources.wall() * 1_000);
  pass(1_000);
  expect(due()).toBe(sources.wall() * 1_000);
});
