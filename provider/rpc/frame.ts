/** A byte that says whether the message is compressed, and four for its length. */
const prefixLength = 5;

/** A message as gRPC sends it over HTTP/2. */
export function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(prefixLength);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** The message of a request. */
export function messageIn(body: Buffer): Buffer {
  const length = body.length < prefixLength ? -1 : body.readUInt32BE(1);
  if (body[0] !== 0 || body.length !== prefixLength + length) {
    throw new Error("a request must be one message, not compressed");
  }
  return body.subarray(prefixLength);
}
