/** Calls that carry a provider's key go to the address they were made for, and nowhere that it points to. */

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** With the fields that errors of provider packages have. Nothing of the answer is in it. */
class RedirectError extends Error {
  readonly statusCode = 400;

  constructor(status: number) {
    super(`it points to another address (status ${status}), which is not followed: correct the provider's address`);
    this.name = "RedirectError";
  }
}

/** `fetch` drops only `Authorization` on its way to another origin; keys in other headers, and the body, would go along. */
export function rejectRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (!redirects.has(response.status)) return response;
    await response.body?.cancel();
    throw new RedirectError(response.status);
  };
}
