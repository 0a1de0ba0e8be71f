import { expect, test } from "vitest";
import { configureReference } from "./configuration.ts";

const document = {
  components: { securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" }, key: { type: "apiKey" } } },
};
const origin = "http://127.0.0.1:8283";

test("requests from the reference go to the server that served it", () => {
  const { servers } = configureReference({ document, origin, password: undefined });
  expect(servers).toEqual([{ url: origin }]);
});

test("nothing of the reference may call out", () => {
  const configuration = configureReference({ document, origin, password: undefined });
  expect(configuration).toMatchObject({
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: "",
    agent: { disabled: true },
    mcp: { disabled: true },
  });
});

test("the password of the front page is filled in as the bearer token", () => {
  const { authentication } = configureReference({ document, origin, password: "open sesame" });
  expect(authentication).toEqual({
    preferredSecurityScheme: "bearerAuth",
    securitySchemes: { bearerAuth: { token: "open sesame" } },
  });
});

test("a document without security schemes is fine", () => {
  const { authentication } = configureReference({ document: {}, origin, password: "open sesame" });
  expect(authentication).toEqual({ preferredSecurityScheme: null, securitySchemes: {} });
});
