import { describe, expect, it } from "vitest";
import type { ExportBundleState } from "../../../../provider/definitions/exportBundle";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { begin, origin, world } from "../../../support/fakePlatform";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";

const { exportBundle } = throwingLifecycles;

const facts = { happened: "no", remedy: "mend it." };
const inputs = { jobId: "job-1", version: "job-1" };
const minute = 60_000;
const iso = (time: number) => new Date(time).toISOString();

const held: ExportBundleState = {
  jobId: "job-1",
  version: "job-1",
  bundleUrl: "https://files.example.com/old.tar.gz?sig=0",
  issuedAt: iso(begin),
  expiresAt: iso(begin + 60 * minute),
  __origin: origin,
};

describe("create", () => {
  it("mints one link, by exactly one request", async () => {
    const { platform, context, warnings, statuses } = world();
    const { id, state } = await exportBundle.create(inputs, context);
    expect(platform.calls).toEqual(["bundle job-1"]);
    expect(id).toBe("job-1");
    expect(state).toEqual({ ...held, bundleUrl: "https://files.example.com/job-1.tar.gz?sig=1" });
    expect(warnings).toEqual([]);
    // The engine shows only the last status. So the user sees the life of the link, and not the reason for a renewal.
    expect(statuses).toEqual(["link good for 1h"]);
  });

  it("keeps the earlier end of the signature, and the clock's offset, where there are any", async () => {
    const { platform, context } = world();
    platform.links = [{ signatureEnd: begin + 30 * minute, clockOffset: 3_600_000.4 }];
    const { state } = await exportBundle.create({ ...inputs, version: "v7", renewBefore: "5m" }, context);
    expect(state).toMatchObject({
      version: "v7",
      renewBefore: "5m",
      expiresAt: iso(begin + 60 * minute),
      __signatureEnd: iso(begin + 30 * minute),
      __clockOffset: 3_600_000,
    });
    platform.links = [{ signatureEnd: begin + 90 * minute }];
    expect((await exportBundle.create(inputs, context)).state).not.toHaveProperty("__signatureEnd");
  });

  it("warns once, with both figures, where renewBefore is more than half of the link's life", async () => {
    const { platform, context, warnings } = world();
    platform.links = [{ expiresAt: begin + 5 * minute }];
    await exportBundle.create({ ...inputs, renewBefore: "10m" }, context);
    expect(warnings).toEqual([
      "renewBefore (10m) is more than half of the link's life (5m); the link is renewed 2m30s before its end.",
    ]);
  });

  it.each([
    ["expiresAt", { expiresAt: begin }],
    ["the signature", { signatureEnd: begin - 1 }],
  ])("refuses a link that is expired when minted, by %s", async (_, link) => {
    const { platform, context } = world();
    platform.links = [link];
    const error = await rejection(exportBundle.create(inputs, context));
    expect(error).toBeInstanceOf(errors.LinkExpiredError);
    expect(error.message).not.toContain("sig=");
    expect(error.message).toContain("Exists now: export job job-1; no link");
  });

  it.each([new errors.ConflictError(facts), new errors.NotFoundError(facts), new errors.RunCancelledError()])(
    "leaves nothing behind where no link came: $name",
    async (thrown) => {
      const { platform, context } = world();
      platform.links = [thrown];
      const error = await rejection(exportBundle.create(inputs, context));
      expect(error).toBe(thrown);
      expect(error).not.toBeInstanceOf(SavedFailure);
      expect(error.message).toContain("tries to create the link again");
    },
  );
});

describe("read", () => {
  it("sends nothing while the link is good, and changes nothing", async () => {
    const { platform, context } = world({ origin: "https://other.example.com" });
    expect(await exportBundle.read("job-1", held, context)).toEqual(held);
    expect(platform.calls).toEqual([]);
  });

  it("drops it where the platform does not know the job, and for no other reason", async () => {
    const { platform, context, clock } = world();
    clock.pass(60 * minute);
    platform.links = [new errors.NotFoundError(facts), new errors.PermissionError(facts)];
    expect(await exportBundle.read("job-1", held, context)).toBeUndefined();
    const error = await rejection(exportBundle.read("job-1", held, context));
    expect(error).toBeInstanceOf(errors.PermissionError);
    expect(error.message).toContain("and its link of 2026-03-01T00:00:00.000Z");
  });

  it("is refused under another origin where a link would be minted", async () => {
    const { platform, context, clock } = world({ origin: "https://other.example.com" });
    clock.pass(60 * minute);
    expect(await rejection(exportBundle.read("job-1", held, context))).toBeInstanceOf(
      errors.PlatformOriginMismatchError,
    );
    expect(platform.calls).toEqual([]);
  });

  it("finds nothing by an id alone, since a look would mint a link", async () => {
    const { platform, context } = world();
    expect(await exportBundle.read("job-1", {}, context)).toBeUndefined();
    expect(platform.calls).toEqual([]);
  });
});

describe("update", () => {
  it("mints once where it is due, for the same job, and nothing else changes", async () => {
    const { platform, context, clock } = world();
    clock.pass(50 * minute);
    const state = await exportBundle.update("job-1", held, inputs, context);
    expect(platform.calls).toEqual(["bundle job-1"]);
    expect(state).toEqual({
      ...held,
      bundleUrl: "https://files.example.com/job-1.tar.gz?sig=1",
      issuedAt: iso(clock.now()),
      expiresAt: iso(clock.now() + 60 * minute),
    });
    expect(planned("ExportBundle", state, inputs, clock.now())).toMatchObject({ action: "none" });
  });

  it("that fails keeps the old link, and says until when it is good", async () => {
    const { platform, context, clock } = world();
    clock.pass(50 * minute);
    platform.links = [new errors.ServerError(facts)];
    const error = await rejection(exportBundle.update("job-1", held, inputs, context));
    expect(error).toBeInstanceOf(errors.ServerError);
    expect(error.message).toContain(`valid until ${held.expiresAt}`);
    expect(error.message).not.toContain("sig=");
  });

  it("says when the link ended, and how to get a new job, if the platform has forgotten the job", async () => {
    const { platform, context, clock } = world();
    clock.pass(70 * minute);
    platform.links = [new errors.NotFoundError(facts)];
    const { message } = await rejection(exportBundle.update("job-1", held, inputs, context));
    expect(message).toContain(`the link of ${held.issuedAt} to export job job-1, which ended at ${held.expiresAt}`);
    expect(message).toMatch(
      /What to do: mend it\. If the platform has forgotten the job, .*`pulumi up --replace <urn>`/,
    );
    expect(message).toMatch(/Next run: {3}fails with this error again/);
  });

  it("is refused under another origin, and sends nothing", async () => {
    const { platform, context } = world({ origin: "https://other.example.com" });
    expect(await rejection(exportBundle.update("job-1", held, inputs, context))).toBeInstanceOf(
      errors.PlatformOriginMismatchError,
    );
    expect(platform.calls).toEqual([]);
  });
});
