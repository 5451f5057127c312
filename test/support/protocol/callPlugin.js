// Calls a plugin at an address and a port. Each line of standard input is a call: its path and its message. Prints the
// gRPC status of each call, or null if no answer came. Any user must be able to run this script, so it imports no other
// file of this project.
const { connect } = require("node:http2");
const { createConnection } = require("node:net");
const { text } = require("node:stream/consumers");

/** In milliseconds. */
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
