import { channel } from "node:diagnostics_channel";

/** The HTTP library tells on these channels which request it has made, and that it writes the head of one to a connection. */
const [made, writing] = [channel("undici:request:create"), channel("undici:client:sendHeaders")];

const written = new WeakSet<object>();
writing.subscribe((message) => written.add(requestIn(message)));

function requestIn(message: unknown): object {
  return (message as { request: object }).request;
}

/**
 * Sends a request by the HTTP library, and tells whether it was sent: a connection that fails before, also in its
 * handshake or at a proxy, has sent nothing. If the library does not tell, the request counts as sent.
 */
export function observeSent<T>(send: () => Promise<T>): { answer: Promise<T>; isSent(): boolean } {
  let request: object | undefined;
  const note = (message: unknown) => {
    request ??= requestIn(message);
  };
  made.subscribe(note);
  try {
    return { answer: send(), isSent: () => request === undefined || written.has(request) };
  } finally {
    made.unsubscribe(note);
  }
}
