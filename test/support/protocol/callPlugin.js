// Calls a plugin, whose address and port are the arguments, on one connection as long as it lasts. It reads the calls
// from standard input, each with its path and its message, and prints the gRPC status of each call, or null for a call
// without an answer. It needs no other file of this project, so that any user can run it.
const { connect } = require("node:http2");
const { createConnection } = require("node:net");
const { text } = require("node:stream/consumers");

/** A call without an answer ends after this time, in milliseconds. */
const patience = 5_000;

const [, host, port] = process.argv;

let session;

function call([path, message]) {
  return new Promise((resolve) => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect("http://localhost", { createConnection: () => createConnection(Number(port), host) });
      session.on("error", () => {});
    }
    let status = null;
    const note = (headers) => {
      status = headers["grpc-status"] ?? status;
    };
    const stream = session.request({
      ...{ ":method": "POST", ":path": path },
      ...{ "content-type": "application/grpc", te: "trailers" },
    });
    stream.on("response", note).on("trailers", note);
    stream.on("error", () => {}).on("close", () => resolve(status));
    stream.setTimeout(patience, () => stream.close());
    const length = Buffer.alloc(5);
    const body = Buffer.from(message, "base64");
    length.writeUInt32BE(body.length, 1);
    stream.resume();
    stream.end(Buffer.concat([length, body]));
  });
}

text(process.stdin).then(async (calls) => {
  const statuses = [];
  for (const each of JSON.parse(calls)) {
    statuses.push(await call(each));
  }
  console.log(JSON.stringify(statuses));
  process.exit();
});
