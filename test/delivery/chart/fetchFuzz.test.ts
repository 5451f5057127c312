import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import { serve } from "../../support/loopback";
import { requireTool } from "../../support/requireTool";
import { type ZipEntry, zipOf } from "../../support/zipWriter";
import { helmExecutable, toolTime } from "./helm";
import { Pod, toolsets } from "./pod";

/** The content of a pod's folder if nothing was unpacked. */
const nothing = { site: [], root: ["config", "dev", "link", "site", "tmp", "tools"] };

const maxBundleBytes = 40_000;
const runs = { numRuns: campaign ? 150 : 6 };
const minutes = 10 * 60_000;

const entry: fc.Arbitrary<ZipEntry> = fc
  .record(
    {
      name: fc.constantFrom("index.html", "a/b.html", "c.html", "d/", "../x", "/x"),
      size: fc.constantFrom(0, 10, 30_000, 50_000, 5_000_000),
      declaredSize: fc.constantFrom(0, 1, 10, 39_999, 40_001, 0x7fffffff, 0xffffffff),
    },
    { requiredKeys: ["name", "size"] },
  )
  .map(({ name, size, declaredSize }) => ({
    name,
    content: "0".repeat(size),
    ...(declaredSize !== undefined && { size: declaredSize }),
  }));

const archives = fc.tuple(
  fc.array(entry, { minLength: 1, maxLength: 4 }),
  fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
);

describe.skipIf(!requireTool("go"))(
  "a zip that lies, in the hands of the init container (Helm is built with go)",
  () => {
    beforeAll(async () => void (await helmExecutable()), toolTime);
    afterAll(() => Pod.removeAll());

    for (const tools of toolsets) {
      it.skipIf(!tools.there)(
        `is refused and leaves nothing, or unpacks to no more than maxBundleBytes: ${tools.name}`,
        async () => {
          let archive: Buffer = Buffer.alloc(0);
          const { url } = await serve((response) => void response.end(archive));
          await fc.assert(
            fc.asyncProperty(archives, async ([entries, changes]) => {
              archive = zipOf(entries);
              for (const [place, value] of changes) {
                archive[place % archive.length] = value;
              }
              const pod = await Pod.create(tools, `${url}/bundle`, { version: "job-1" }, { maxBundleBytes });
              const { code, message } = await pod.start();
              if (code === 0) {
                const bytes = [...(pod.pages ?? [])].reduce((sum, [, content]) => sum + content.length, 0);
                expect(bytes).toBeLessThanOrEqual(maxBundleBytes);
              } else {
                expect(code).toBe(1);
                expect(message).toContain("cannot be served");
                expect(pod.left).toEqual(nothing);
              }
            }),
            runs,
          );
        },
        minutes,
      );
    }
  },
);
