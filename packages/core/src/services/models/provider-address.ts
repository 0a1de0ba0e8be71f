/** Which addresses a stored provider may have. */
import { type AddressRules, findModelAddressFault } from "../../model/foreign-fetch.ts";
import { MemoirError } from "../../shared/errors.ts";

export async function checkAddress(address: string, rules: AddressRules): Promise<void> {
  const fault = await findModelAddressFault(address, rules);
  if (fault === undefined) return;
  throw new MemoirError("invalid-argument", `base_url "${shorten(address)}" ${fault}`, {
    details: { field: "base_url" },
  });
}

function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
