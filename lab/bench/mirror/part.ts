import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../../../tools/projectRoot";
import { type Measurement, median, table } from "../part";
import { startS3 } from "./s3";

const run = promisify(execFile);

/** The bytes of memory that a mirror may need beyond what the process used before. */
const mostMemory = 64 * 1024 ** 2;

interface Mirrored {
  seconds: number;
  memory: number;
}

/**
 * Measures the rate of a BundleMirror beside the same work by hand, in turn on one machine: a copy to a file beside
 * `curl | tee | sha256sum`, and a copy to S3 beside the AWS SDK's upload of a local file.
 */
export async function mirrorPart({ bytes, rounds }: { bytes: number; rounds: number }): Promise<Measurement> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-docs-platform-bench-"));
  const platform = spawn(process.execPath, [script("platform.js")], {
    env: { ...process.env, BENCH_BYTES: String(bytes) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const baseUrl = String((await once(platform.stdout, "data"))[0]).trim();
  const s3 = await startS3(folder);
  try {
    const times = { curl: [] as number[], file: [] as Mirrored[], sdk: [] as number[], s3: [] as Mirrored[] };
    for (let round = 0; round < rounds; round++) {
      const target = join(folder, "by-hand");
      times.curl.push(await timed(`curl -sS ${baseUrl}/bundle.tar.gz | tee ${target} | sha256sum`));
      const mirrors = join(folder, "mirrors");
      mkdirSync(mirrors);
      times.file.push(await mirrorOnce(baseUrl, `file://${mirrors}`, {}));
      rmSync(mirrors, { recursive: true });
      times.sdk.push((await output("uploadOnce.js", { ...s3.environment, BENCH_FILE: target })).seconds);
      s3.empty();
      times.s3.push(await mirrorOnce(baseUrl, s3.destination, s3.environment));
      s3.empty();
    }
    return report(bytes, times);
  } finally {
    platform.kill();
    await s3.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(
  bytes: number,
  { curl, file, sdk, s3 }: { curl: number[]; file: Mirrored[]; sdk: number[]; s3: Mirrored[] },
): Measurement {
  const seconds = (lives: readonly Mirrored[]) => median(lives.map((life) => life.seconds));
  const rates = {
    curl: bytes / median(curl),
    file: bytes / seconds(file),
    sdk: bytes / median(sdk),
    s3: bytes / seconds(s3),
  };
  const memory = { file: median(file.map((life) => life.memory)), s3: median(s3.map((life) => life.memory)) };
  const mebibytes = (value: number) => Math.round(value / 1024 ** 2);
  const row = (title: string, rate: number, ratio?: number, held?: number) => [
    title,
    `${mebibytes(rate)} MiB/s`,
    ratio?.toFixed(2) ?? "",
    held === undefined ? "" : `${mebibytes(held)} MiB`,
  ];
  const rows = [
    ["", "rate", "ratio", "memory over the process's own"],
    row("curl, tee, sha256sum to a file", rates.curl),
    row("BundleMirror to a file", rates.file, rates.file / rates.curl, memory.file),
    row("the AWS SDK from a file to S3", rates.sdk),
    row("BundleMirror to S3", rates.s3, rates.s3 / rates.sdk, memory.s3),
  ];
  return {
    name: "mirror",
    text: `A bundle of ${mebibytes(bytes)} MiB, mirrored (medians; targets: ratio ≥ 1.5 to a file, ≥ 0.9 to S3, memory ≤ 64 MiB to a file)\n\n${table(rows)}`,
    figures: {
      ...Object.fromEntries(Object.entries(rates).map(([name, rate]) => [`mirror.rate.${name}`, rate])),
      "mirror.memory.file": memory.file,
      "mirror.memory.s3": memory.s3,
    },
    // A target is an upper limit, so a rate goes below the fraction line.
    targets: [
      { name: "mirror.file.timeToCurl", value: rates.curl / rates.file, limit: 1 / 1.5 },
      { name: "mirror.s3.timeToSdk", value: rates.sdk / rates.s3, limit: 1 / 0.9 },
      { name: "mirror.file.memory", value: memory.file, limit: mostMemory },
    ],
  };
}

function mirrorOnce(baseUrl: string, destination: string, environment: NodeJS.ProcessEnv): Promise<Mirrored> {
  return output("mirrorOnce.js", {
    ...environment,
    BENCH_DESTINATION: destination,
    DOCS_PLATFORM_BASE_URL: baseUrl,
    DOCS_PLATFORM_API_KEY: "svc_bench-0123456789",
  });
}

/** The last line of a script of this folder; lines about the progress of the transfer may stand before it. */
async function output(name: string, environment: NodeJS.ProcessEnv): Promise<Mirrored> {
  const { stdout } = await run(process.execPath, [script(name)], { env: { ...process.env, ...environment } });
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
}

async function timed(command: string): Promise<number> {
  const begin = performance.now();
  await run("bash", ["-o", "pipefail", "-c", command]);
  return (performance.now() - begin) / 1_000;
}

function script(name: string): string {
  return join(projectRoot, "lab", "bench", "mirror", name);
}
