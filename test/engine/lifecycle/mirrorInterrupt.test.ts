import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { testPlatform } from "../../support/engineTest";
import { killAll, providersOf } from "../../support/fixtures/kills";
import { serve } from "../../support/loopback";
import { mirrorStack, succeeded } from "../../support/mirror/mirrorStack";
import { filesIn, gzipLike } from "../../support/mirror/storage";
import { until } from "../../support/until";

async function stallingLink(platform: Platform): Promise<void> {
  const storage = await serve((response) => {
    response.writeHead(200, { "content-length": String(1024 ** 3) });
    response.write(gzipLike(3 * 1024 ** 2));
  });
  const expiresAt = "2126-01-31T10:00:00Z";
  platform.inject({ operation: "createBundle", kind: "body", body: { bundleUrl: `${storage.url}/bundle`, expiresAt } });
}

/** While a download runs, the provider writes the archive to a file whose name ends with `.partial`. */
const isReceiving = (folder: string) => {
  try {
    return readdirSync(folder).some((name) => name.endsWith(".partial") && statSync(join(folder, name)).size > 4_096);
  } catch {
    return false;
  }
};

describe("a transfer that is interrupted", () => {
  it("by a killed engine is ended by its own process, which leaves nothing half", async () => {
    const platform = await testPlatform({ jobTime: 0 });
    const { stack, folder } = await mirrorStack(platform);
    await stallingLink(platform);
    const running = stack.start("up", "--yes", "--skip-preview");
    await until(() => isReceiving(folder));
    running.kill();
    await running.ended;
    await until(() => providersOf(stack).length === 0, 100);
    expect(filesIn(folder)).toEqual([]);
    killAll(stack);
    await stack.pulumi("cancel", "--yes");
    succeeded(await stack.up());
    expect(filesIn(folder)).toHaveLength(3);
  });
});
