/**
 * The private descriptor as a file, for places where only a command and its output can be had. A runner greets, reads the
 * request and answers on descriptor 3; on a file that is open for both, the greeting falls on the bytes that are kept
 * free for it, and the answer follows the request.
 */
const greeting = "ready\n";

export function composeChannel(token: string, request: object): string {
  return `${greeting}${token}\n${JSON.stringify(request)}\n`;
}

/** Of what the file holds afterwards, the answer; lines without the token are of the tool's own making. */
export function readChannel(token: string, text: string): string | undefined {
  return text
    .split("\n")
    .find((line) => line.startsWith(`${token} `))
    ?.slice(token.length + 1);
}
