import { channel } from "node:diagnostics_channel";

/**
 * On these channels, the HTTP library reports each request that it makes, and each one whose headers it writes to a
 * connection.
 */
const [made, writing] = [channel("undici:request:create"), channel("undici:client:sendHeaders")];

const written = new WeakSet<object>();
writing.subscribe((message) => written.add(requestIn(message)));

function requestIn(message: unknown): object {
  return (message as { request: object }).request;
}

/**
 * Sends a request by the HTTP library, and reports whether it was sent. If the failure comes before the connection
 * exists (also in the handshake, or at a proxy), nothing was sent. If the library reports nothing, the request counts
 * as sent as soon as it may have reached a connection.
 */
export function observeSent<T>(send: () => Promise<T>): { answer: Promise<T>; isSent(): boolean } {
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
