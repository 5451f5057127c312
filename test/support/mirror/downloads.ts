import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { type DownloadOptions, ResumableDownload } from "../../../provider/mirror/transfer/resumableDownload";
import { systemClock } from "../../../provider/support/time/clock";
import { Deadline } from "../../../provider/support/time/deadline";
import { never, noTls } from "../clientUnderTest";
import { FakeClock } from "../fakeClock";
import { sha256Of } from "./storage";

export const wideLimits = {
  size: { name: "maxBytes", bytes: 1024 ** 3 },
  wait: { name: "waitTimeout", time: "30m", deadline: Deadline.in(Number.POSITIVE_INFINITY, systemClock) },
};

export interface DownloadUnderTest {
  download: ResumableDownload;
  clock: FakeClock;
  minted: string[];
}

export const directNetwork = { origin: "https://api.example.com", tls: noTls };

/**
 * Makes a real download on a fake clock, so pauses take no time. Each request for a link returns the next link, and the
 * last link repeats.
 */
export function downloadOf(
  links: readonly [string, ...string[]],
  { sizeBytes, ...parts }: Partial<DownloadOptions> & { sizeBytes?: number } = {},
): DownloadUnderTest {
  const clock = new FakeClock();
  const minted: string[] = [];
  const download = new ResumableDownload({
    async mint() {
      const bundleUrl = links[Math.min(minted.length, links.length - 1)] ?? links[0];
      minted.push(bundleUrl);
      return { bundleUrl, sizeBytes };
    },
    rule: { loopback: true },
    network: directNetwork,
    timeout: 30_000,
    limit: wideLimits,
    clock,
    random: () => 1,
    signal: never,
    ...parts,
  });
  onTestFinished(() => download.close());
  return { download, clock, minted };
}

export async function fetched(download: ResumableDownload): Promise<string> {
  return sha256Of(await buffer((await download.open()).chunks));
}
