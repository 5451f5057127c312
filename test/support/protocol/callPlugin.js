// Calls a plugin. The arguments are the plugin's address and port. Each line of standard input is a call, with its path
// and its message. All calls use one connection, unless it breaks. The script prints the gRPC status of each call, or
// null if no answer came. It imports no other file of this project, so that any user can run it.
const { connect } = require("node:http2");
const { createConnection } = require("node:net");
const { text } = require("node:stream/consumers");

/** The time in milliseconds after which a call without an answer ends. */
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
