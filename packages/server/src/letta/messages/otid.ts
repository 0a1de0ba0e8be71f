/** The client-side id of a part of a message: the message's uuid with the part's index in its lowest seven bits. */
const partBits = 7n;

export function otidOf(messageId: string, part: number): string {
  const hex = messageId.slice(messageId.indexOf("-") + 1).replaceAll("-", "");
  const value = ((BigInt(`0x${hex}`) >> partBits) << partBits) | BigInt(Math.min(part, 127));
  const text = value.toString(16).padStart(32, "0");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}
