/** How many results a search returns: at least one, and at most as many as leave room for the rest of the context. */
import { refusal } from "../../memory/block-rules.ts";
import { type Argument, integer } from "./input.ts";

const defaultLimit = 5;
const maxLimit = 100;

export function resultLimit(description: string): Argument<number> {
  const { schema, read } = integer(description);
  return {
    schema,
    isRequired: false,
    read: (name, value) => {
      const limit = value === undefined ? defaultLimit : read(name, value);
      if (limit >= 1) return Math.min(limit, maxLimit);
      throw refusal(`${name} is ${limit}; it must be at least 1. Leave it out to get ${defaultLimit} results.`);
    },
  };
}
