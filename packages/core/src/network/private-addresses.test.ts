import { expect, test } from "vitest";
import { findAddressFault, findMetadataFault } from "./private-addresses.ts";

test("an address of more than 4,000 characters is refused wherever addresses are taken", () => {
  const addressOf = (length: number) => "https://example.com/".padEnd(length, "a");
  for (const find of [findAddressFault, findMetadataFault]) {
    expect(find(addressOf(4_000), [], "SETTING")).toBeUndefined();
    expect(find(addressOf(4_001), [], "SETTING")).toBe("is longer than 4000 characters");
  }
});
