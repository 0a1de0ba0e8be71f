/** Requests made up by schemathesis from our own API document: none may break the server or get an undocumented answer. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeEmptyFolder, runOutside } from "../support/outside.ts";
import { startServer } from "../support/server.ts";
import { findPython, whyMissing } from "../support/services.ts";

const isLong = process.env.MEMOIR_TEST_LONG !== undefined;

/** What cannot work yet answers 501, and a provider that is not there 502 or 503: refusals, not failures. */
const settings = `
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "501", "502", "503"]
`;

test("made-up requests to every operation are answered or refused, never failed", {
  timeout: isLong ? 3_600_000 : 600_000,
}, async (context) => {
  const python = findPython("schemathesis");
  if (!python) return context.skip(whyMissing("schemathesis"));
  const { url, errors } = await startServer("sqlite", context);
  const folder = makeEmptyFolder("schemathesis");
  writeFileSync(join(folder, "schemathesis.toml"), settings);
  const words = ["-m", "schemathesis.cli", "run", `${url}/openapi.json`, "--phases", "examples,fuzzing"];
  const limits = [
    "--max-examples",
    isLong ? "200" : "10",
    "--generation-deterministic",
    // How fast a busy machine makes requests up says nothing about the server.
    "--suppress-health-check",
    "too_slow",
    "--workers",
    "2",
    "--no-color",
  ];
  const checks = ["--checks", "not_a_server_error,response_schema_conformance,content_type_conformance"];
  const { status, stdout, stderr } = await runOutside(python, [...words, ...limits, ...checks], { cwd: folder });
  expect(errors).toEqual([]);
  expect(status, `${stdout.slice(-6_000)}\n${stderr.slice(-2_000)}`).toBe(0);
  expect(stdout).toMatch(/\d+ (test cases|operations)/i);
});
