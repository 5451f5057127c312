// Mirrors one bundle to BENCH_DESTINATION as the provider process does, and tells what it took.
const { readFileSync } = require("node:fs");
require("@pulumi/pulumi");
const { BundleMirror } = require("pulumi-docs-platform/provider");

/** Bytes; 0 where the system does not show them. */
function highest() {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function main() {
  const inputs = { jobId: "job-1", destination: process.env.BENCH_DESTINATION, layout: "archive" };
  const base = highest();
  const begin = performance.now();
  const { outs } = await BundleMirror.create(inputs);
  const seconds = (performance.now() - begin) / 1_000;
  console.log(JSON.stringify({ seconds, memory: highest() - base, sha256: outs.sha256 }));
  process.exit(0);
}

main();
