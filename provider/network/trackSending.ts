import { channel } from "node:diagnostics_channel";

/**
 * The channels on which the HTTP library reports requests: on `made` each request that the library creates, on
 * `writing` each request whose headers the library writes to a connection.
 */
const [made, writing] = [channel("undici:request:create"), channel("undici:client:sendHeaders")];

const written = new WeakSet<object>();
writing.subscribe((message) => written.add(requestIn(message)));

function requestIn(message: unknown): object {
  return (message as { request: object }).request;
}

/**
 * Sends a request by the HTTP library, and reports whether the request was sent. If a failure comes before the
 * connection exists (also in the handshake, or at a proxy), nothing was sent. If the library reports no request, the
 * request counts as sent from the moment when a connection may exist.
 */
export function trackSending<T>(send: () => Promise<T>): { answer: Promise<T>; isSent(): boolean } {
  let request: object | undefined;
  let mayBeConnected = false;
  const note = (message: unknown) => {
    request ??= requestIn(message);
  };
  made.subscribe(note);
  try {
    const answer = send();
    // A connection opens only after the process has returned to its event loop, so before that nothing is sent.
    const connects = setImmediate(() => {
      mayBeConnected = true;
    });
    answer.catch(() => clearImmediate(connects));
    return { answer, isSent: () => (request === undefined ? mayBeConnected : written.has(request)) };
  } finally {
    made.unsubscribe(note);
  }
}
