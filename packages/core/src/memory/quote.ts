/** Keeps stored text from forging the structure of a prompt: the `<` of any tag that we write ourselves is masked. */

export type Quote = (text: string) => string;

const structure = [
  "available_skills",
  "base_instructions",
  "description",
  "directories",
  "directory",
  "external_projection",
  "file",
  "file_limits",
  "instructions",
  "memory",
  "memory_blocks",
  "memory_metadata",
  "metadata",
  "projection",
  "self",
  "tool_rule",
  "tool_usage_rules",
  "value",
  "warning",
];

/** `names` are the tags that this prompt has besides the fixed ones. */
export function createQuote(names: readonly string[]): Quote {
  const escaped = [...structure, ...names].map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const tag = new RegExp(`<(?=\\s*(?:/\\s*)?(?:${escaped.join("|")})(?![\\w-]))`, "gi");
  return (text) => text.replaceAll(tag, "&lt;");
}

/** A label as a tag of its own, also where it is called like one of ours. */
export function ownTag(name: string): string {
  return structure.includes(name.toLowerCase()) ? `${name}_` : name;
}
