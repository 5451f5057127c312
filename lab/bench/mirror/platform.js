// A platform whose one job has a bundle of BENCH_BYTES bytes, at its own link. Tells its address when it listens.
const { createServer } = require("node:http");
const { Readable } = require("node:stream");

const bytes = Number(process.env.BENCH_BYTES);
const chunk = require("node:crypto").randomBytes(1024 ** 2);
// What an archive of this kind begins with: nobody looks further.
chunk.set([0x1f, 0x8b]);

function* archive() {
  for (let left = bytes; left > 0; left -= chunk.length) {
    yield left < chunk.length ? chunk.subarray(0, left) : chunk;
  }
}

const server = createServer((request, response) => {
  request.resume();
  if (request.method === "GET") {
    response.writeHead(200, { "content-length": bytes, etag: '"one"' });
    Readable.from(archive(), { objectMode: false }).pipe(response);
    return;
  }
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const bundleUrl = `http://127.0.0.1:${server.address().port}/bundle.tar.gz`;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ bundleUrl, expiresAt }));
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
