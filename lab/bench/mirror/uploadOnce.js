// Uploads BENCH_FILE by the AWS SDK's own means, and tells what it took.
const { createReadStream } = require("node:fs");
const { S3Client } = require("@aws-sdk/client-s3");
const { Upload } = require("@aws-sdk/lib-storage");

async function main() {
  const { BENCH_ENDPOINT: endpoint, BENCH_BUCKET: Bucket, BENCH_FILE: file } = process.env;
  const begin = performance.now();
  const client = new S3Client({ endpoint, forcePathStyle: true });
  await new Upload({ client, params: { Bucket, Key: "uploaded", Body: createReadStream(file) } }).done();
  console.log(JSON.stringify({ seconds: (performance.now() - begin) / 1_000 }));
}

main();
