import { channel } from "node:diagnostics_channel";

/** The HTTP library tells on these channels which request it has made, and that it writes the head of one to a connection. */
const [made, writing] = [channel("undici:request:create"), channel("undici:client:sendHeaders")];

const written = new WeakSet<object>();
writing.subscribe((message) => written.add(requestIn(message)));

function requestIn(message: unknown): object {
  return (message as { request: object }).request;
}

/**
 * Sends a request by the HTTP library, and tells whether it was sent: what fails before the request is handed to a
 * connection, or while that connects, also in its handshake or at a proxy, has sent nothing. If the library does not
 * tell, the request counts as sent once it may have reached a connection.
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
    // No connection opens before the process is back in its event loop.
    const connects = setImmediate(() => {
      mayBeConnected = true;
    });
    answer.catch(() => clearImmediate(connects));
    return { answer, isSent: () => (request === undefined ? mayBeConnected : written.has(request)) };
  } finally {
    made.unsubscribe(note);
  }
}
