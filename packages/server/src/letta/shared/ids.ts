/** Ids as they stand in paths. */
import { type IdPrefix, uuid4Pattern } from "@memoir/core";
import { z } from "zod";

export function idSchema(prefix: IdPrefix): z.ZodType<string> {
  return z.string().regex(new RegExp(`^${prefix}-${uuid4Pattern}$`));
}
