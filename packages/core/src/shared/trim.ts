/**
 * Trims the end of untrusted text by index. A pattern such as /x+$/ is tried at every x of a run that does not end the
 * text, which takes quadratic time: 60,000 spaces cost seconds.
 */

/** `set` matches a single character. */
export function trimEndOf(text: string, set: RegExp): string {
  let end = text.length;
  while (end > 0 && set.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export function stripTrailingSlashes(address: string): string {
  let end = address.length;
  while (end > 0 && address[end - 1] === "/") end--;
  return address.slice(0, end);
}
