/**
 * The global `fetch` without limits of its own. Node's gives up after 300 s without headers or without a byte, which a
 * local model that reads a long prompt may need; `withTimeout` sets the limits instead, from settings.
 */
type Dispatch = (options: object, handler: unknown) => boolean;

interface Dispatcher {
  compose?(interceptor: (dispatch: Dispatch) => Dispatch): Dispatcher;
}

/** Where Node keeps the connections of its `fetch`, proxies included; it is there after the first use of `fetch`. */
const globalDispatcher = Symbol.for("undici.globalDispatcher.1");

const composed = new WeakMap<Dispatcher, Dispatcher>();

/** Undefined in runtimes that keep no such thing: then their own limits hold. */
function findDispatcher(): Dispatcher | undefined {
  const base = (globalThis as { [globalDispatcher]?: Dispatcher })[globalDispatcher];
  if (!base?.compose) return undefined;
  const known = composed.get(base);
  if (known) return known;
  const patient = base.compose(
    (dispatch) => (options, handler) => dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  );
  composed.set(base, patient);
  return patient;
}

/** Looks up the global `fetch` for each request, so that a later replacement is used. */
export const patientFetch: typeof globalThis.fetch = (input, init) => {
  const dispatcher = findDispatcher();
  return globalThis.fetch(input, dispatcher ? ({ ...init, dispatcher } as RequestInit) : init);
};
