import { beforeEach, describe, expect, it, vi } from "vitest";
import { UnreadableEntry } from "../../../../provider/journal/journal";
import { S3Journal } from "../../../../provider/journal/s3Journal";
import { parseDestination, type S3Destination } from "../../../../provider/mirror/stores/destination";
import { S3Store } from "../../../../provider/mirror/stores/s3/store";
import { filesIn } from "../../../../tools/filesIn";
import { never, rejection } from "../../../support/clientUnderTest";
import { testS3, useEnvironment } from "../../../support/mirror/s3Server";

const owner = { host: "here", pid: 4_711, began: "1", engine: "127.0.0.1:1" };
const week = 7 * 86_400_000;
const name = `${"a".repeat(32)}-${"b".repeat(32)}`;
const intended = (idempotencyKey = "key-1") => ({ idempotencyKey, owner, writtenAt: Date.now() });
const accepted = (id = "job-1") => ({ ...intended(), id });

const s3 = testS3();
let place: string;
let journal: S3Journal;
/** As another machine would open it. */
const open = (of = place) => new S3Journal(of, parseDestination(of) as S3Destination);
const objectsIn = (folder: string) => filesIn(folder).filter((file) => file.endsWith(".json"));
/** The requests for entries of this test's bucket, once the server has told of so many. */
const requests = async (count: number) => {
  const told = () => s3.server.requests().filter((request) => request.includes(`/${s3.bucket}/`));
  await vi.waitFor(() => expect(told().length).toBeGreaterThanOrEqual(count), 5_000);
  return told().map((request) => request.split(" ")[0]);
};
/** Puts a text where an entry would be. */
async function plant(text: string): Promise<void> {
  const store = new S3Store(parseDestination(place) as S3Destination, { plainLoopback: true, signal: never });
  const content = (async function* () {
    yield Buffer.from(text);
  })();
  await store.put(`${name}.json`, content, { contentType: "application/json", signal: never });
  store.close();
}

beforeEach(() => {
  place = s3.server.destination(s3.bucket, "team/prod");
  journal = open();
});

describe("an entry in a bucket", () => {
  it("costs one conditional put before the start and one after it, and is found by another machine", async () => {
    const entry = accepted();
    expect(await journal.add(name, intended())).toBeUndefined();
    await journal.replace(name, entry);
    expect(await requests(2)).toEqual(["PUT", "PUT"]);
    expect(await open().find(name)).toEqual(entry);
    expect(objectsIn(s3.server.folderOf(s3.bucket))).toEqual([`team/prod/${name}.json`]);
    await open().remove(name);
    await open().remove(name);
    expect(await journal.find(name)).toBeUndefined();
  });

  it("is never overwritten by another machine's: what is there already is told, at the cost of one look", async () => {
    await journal.add(name, intended("one"));
    expect(await open().add(name, intended("two"))).toMatchObject({ idempotencyKey: "one" });
    expect(await requests(3)).toEqual(["PUT", "PUT", "GET"]);
  });

  it("is not replaced by a machine that has not seen its newest form", async () => {
    await journal.add(name, intended());
    const other = open();
    await other.find(name);
    await other.replace(name, accepted("job-2"));
    expect((await rejection(journal.replace(name, accepted("job-1")))).message).toMatch(/PreconditionFailed|HTTP 412/);
    expect(await open().find(name)).toMatchObject({ id: "job-2" });
  });

  it("that is too old, or no entry at all, makes room for a new one", async () => {
    await journal.add(name, { ...accepted("old"), writtenAt: Date.now() - week });
    expect(await open().find(name)).toBeUndefined();
    expect(await open().add(name, accepted("new"))).toBeUndefined();
    for (const text of ["", "{}", "x".repeat(100_000)]) {
      await plant(text);
      expect(await open().find(name)).toBeUndefined();
    }
    expect(await open().add(name, accepted("newest"))).toBeUndefined();
    expect(await open().find(name)).toMatchObject({ id: "newest" });
  });

  it("belongs to its prefix: two organisations share a bucket by a prefix each", async () => {
    await journal.add(name, accepted("job-1"));
    const other = open(s3.server.destination(s3.bucket, "team/prod-2"));
    expect(await other.add(name, intended())).toBeUndefined();
    expect(await journal.find(name)).toMatchObject({ id: "job-1" });
  });
});

describe("a bucket that cannot be used", () => {
  it("is told in one line that names it and what is missing, and shows no credentials", async () => {
    useEnvironment(await s3.server.withoutRights());
    const { message } = await rejection(open().add(name, intended()));
    expect(message).toMatch(new RegExp(`the bucket ${s3.bucket} at 127.0.0.1:\\d+ cannot be used: AccessDenied`));
    expect(message).not.toMatch(/\n|secret/);
  });

  it("whose entry can be seen and not be read, is not taken for an empty one", async () => {
    await journal.add(name, accepted());
    const other = open();
    other.find = () => Promise.reject(new Error("cannot be read"));
    expect(await rejection(other.add(name, intended()))).toBeInstanceOf(UnreadableEntry);
  });
});
