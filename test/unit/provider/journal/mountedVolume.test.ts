import { chmodSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { RecordedStart } from "../../../../provider/engine/recordedStart";
import { projectRoot } from "../../../../tools/projectRoot";
import { noJournal, rejection } from "../../../support/clientUnderTest";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { TestSession } from "../../../support/testSession";

const setGroupId = 0o2000;

/** Changes the modes of a volume's files, as Kubernetes does when it mounts a volume with `fsGroup`. */
function mount(volume: string, policy: string): void {
  const { mode } = lstatSync(volume);
  const isRootRight = (mode & (setGroupId | 0o770)) === (setGroupId | 0o770);
  if (policy === "Always" || !isRootRight) {
    widen(volume);
  }
}

function widen(path: string): void {
  const status = lstatSync(path);
  if (status.isDirectory()) {
    readdirSync(path).forEach((name) => {
      widen(join(path, name));
    });
  }
  chmodSync(path, status.mode | (status.isDirectory() ? setGroupId | 0o770 : 0o660));
}

/** Prepares the start of a job, as a new pod does. */
function startIn(volume: string): RecordedStart {
  const journal = { ...noJournal, place: join(volume, "journal"), required: true };
  const settings = { requestTimeout: 5_000, journal };
  return new RecordedStart(new TestSession(), "urn", { domain: "a.test" }, settings);
}

describe.skipIf(process.platform === "win32")("the journal in a volume that each pod mounts with an fsGroup", () => {
  it("serves every pod of the example's CronJob, also after a kill", async () => {
    const text = readFileSync(join(projectRoot, "examples/scheduledRenewal/cronJob.yaml"), "utf8");
    const [cronJob] = parseAllDocuments(text);
    const { jobTemplate } = cronJob?.toJS().spec ?? {};
    const { securityContext } = jobTemplate.spec.template.spec;
    const volume = temporaryFolder();
    for (const job of ["job-1", "job-2"]) {
      mount(volume, securityContext.fsGroupChangePolicy);
      const killed = startIn(volume);
      await killed.before();
      await killed.accepted(job);
      mount(volume, securityContext.fsGroupChangePolicy);
      const next = startIn(volume);
      expect(await rejection(next.before())).toMatchObject({ id: job });
      await next.discard("failed");
    }
  });

  it("stops a second start where each mount opens it to the group, and names the lasting remedy", async () => {
    const volume = temporaryFolder();
    mount(volume, "Always");
    const killed = startIn(volume);
    await killed.before();
    await killed.accepted("job-1");
    mount(volume, "Always");
    const error = await rejection(startIn(volume).before());
    expect(error).toMatchObject({ code: "DOCS_JOURNAL" });
    expect(error.message).toContain("fsGroupChangePolicy: OnRootMismatch");
  });
});
