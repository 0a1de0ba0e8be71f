/**
 * Unicode normalization in linear time. `normalize` sorts the combining marks after a letter one by one: 100,000 of
 * them take 15 s. Runs longer than any language has are normalized in pieces.
 */
const longRun = /(\p{M}{32})/u;

export function normalizeText(text: string, form: "NFC" | "NFKC"): string {
  const pieces = text.split(longRun);
  return pieces.length === 1 ? text.normalize(form) : pieces.map((piece) => piece.normalize(form)).join("");
}
