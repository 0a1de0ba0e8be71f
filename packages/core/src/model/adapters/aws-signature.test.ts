import { expect, test } from "vitest";
import { signRequest } from "./aws-signature.ts";

test("a request is signed as AWS documents it", () => {
  const key = {
    accessKey: "AKIDEXAMPLE",
    secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
    service: "service",
  };
  const at = new Date("2015-08-30T12:36:00Z");
  const sign = (url: string) => signRequest("GET", { url, headers: {}, body: "" }, key, at).authorization;
  // From the published test suite: get-vanilla and get-vanilla-query-order-key-case.
  expect(sign("https://example.amazonaws.com/")).toContain(
    "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  );
  expect(sign("https://example.amazonaws.com/?Param2=value2&Param1=value1")).toContain(
    "Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  );
});
