import { expect, test } from "vitest";
import { runWithin, runWithinCpuTime } from "./run-within.ts";

const waiting = new Int32Array(new SharedArrayBuffer(4));
/** Takes time, but no CPU: as work does on a machine that is busy with other things. */
const wait = () => Atomics.wait(waiting, 0, 0, 300);
const loop = () => {
  for (;;) {}
};

test("work that has to wait for a core is done in the end", () => {
  expect(runWithin(100, wait)).toBeUndefined();
  expect(runWithinCpuTime(100, wait)).toEqual({ value: "timed-out" });
});

test("work without an end is broken off", () => {
  expect(runWithin(100, loop)).toBeUndefined();
  expect(runWithinCpuTime(100, loop)).toBeUndefined();
});
