/** In bytes: one byte says whether the message is compressed, and four bytes contain the message's length. */
export const grpcPrefixLength = 5;

export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(grpcPrefixLength + message.length);
  frame.writeUInt8(0);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, grpcPrefixLength);
  return frame;
}

export function unframeMessage(body: Buffer): Buffer {
  const length = body.length < grpcPrefixLength ? -1 : body.readUInt32BE(1);
  if (body[0] !== 0 || body.length !== grpcPrefixLength + length) {
    throw new Error("a request must be one message, not compressed");
  }
  return body.subarray(grpcPrefixLength);
}
