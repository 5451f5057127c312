import { channel } from "node:diagnostics_channel";

const [made, writing] = [channel("undici:request:create"), channel("undici:client:sendHeaders")];

const written = new WeakSet<object>();
writing.subscribe((message) => written.add(requestIn(message)));

function requestIn(message: unknown): object {
  return (message as { request: object }).request;
}

/**
 * Sends a request, and reports whether it was sent. Nothing was sent if the connection could not be opened, for example
 * because the handshake or a proxy failed. The library may report no request at all. The request then counts as sent as
 * soon as a connection may exist.
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
    // A connection opens only after the process has returned to its event loop. Before that, nothing is sent.
    const connects = setImmediate(() => {
      mayBeConnected = true;
    });
    answer.catch(() => clearImmediate(connects));
    return { answer, isSent: () => (request === undefined ? mayBeConnected : written.has(request)) };
  } finally {
    made.unsubscribe(note);
  }
}
