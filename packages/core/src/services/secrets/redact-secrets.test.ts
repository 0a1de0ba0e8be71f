import { expect, test } from "vitest";
import { createSecretFilter, hideInValue, hideSecrets } from "./redact-secrets.ts";

const secrets = { TOKEN: "s3cret$&value", LONGER: "s3cret$&value-2", PIN: "123456", SHORT: "abc", EMPTY: "" };
const hide = createSecretFilter(secrets);

test("values of secrets are taken out of all that a tool gives back, and named", () => {
  expect(
    hideSecrets(
      {
        status: "success",
        value: { key: ["s3cret$&value", 123456, 12345, null, true], "x s3cret$&value-2": "abc" },
        changes: [{ label: "notes", value: "token: s3cret$&value." }],
        stdout: ["s3cret$&value-2 and s3cret$&value"],
        stderr: ["123456 abc"],
      },
      hide,
    ),
  ).toEqual({
    status: "success",
    value: { key: ["[secret TOKEN]", "[secret PIN]", 12345, null, true], "x [secret LONGER]": "abc" },
    changes: [{ label: "notes", value: "token: [secret TOKEN]." }],
    stdout: ["[secret LONGER] and [secret TOKEN]"],
    stderr: ["[secret PIN] abc"],
  });
});

test("so they are out of what it raises", () => {
  const printed = { stdout: [], stderr: [] };
  const result = { status: "error", type: "Error123456", message: "401 for s3cret$&value", ...printed } as const;
  expect(hideSecrets(result, hide)).toEqual({
    ...result,
    type: "Error[secret PIN]",
    message: "401 for [secret TOKEN]",
  });
});

test("what is nested without end is refused in a sentence", () => {
  const nest = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  expect(hideInValue(nest(500), hide)).toEqual(nest(500));
  expect(() => hideInValue(nest(9_000), hide)).toThrow("nested more than 500 levels deep: make it flatter");
});
