/** Ids as they stand in paths. */
import { type IdPrefix, uuid4Pattern } from "@memoir/core";
import { z } from "zod";

export function idSchema(prefix: IdPrefix): z.ZodType<string> {
  // The pattern first: a text of the wrong form is told of the form, not of its length.
  return z
    .string()
    .regex(new RegExp(`^${prefix}-${uuid4Pattern}$`), { abort: true })
    .max(100);
}
