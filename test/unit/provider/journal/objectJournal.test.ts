import http from "node:http";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { JournalPlaceError } from "../../../../provider/journal/journal";
import { ObjectJournal } from "../../../../provider/journal/objectJournal";
import { parseDestination } from "../../../../provider/storage/destination";
import type { ObjectDestination } from "../../../../provider/storage/openStore";
import { rejection } from "../../../support/clientUnderTest";
import { answer, listen, serve } from "../../../support/loopback";
import { lockedEndpoint } from "../../../support/mirror/lockedEndpoint";
import { eachObjectPlace } from "../../../support/mirror/objectPlaces";
import { keepVersions, testS3, useEnvironment, versionsIn } from "../../../support/mirror/s3Server";

const start = `${"a".repeat(32)}-${"b".repeat(32)}`;
const name = `${start}.0123456789ab`;
const other = `${start}.ba9876543210`;

/** Opens the journal as another machine would. */
const openAt = (place: string, limit?: number) =>
  new ObjectJournal(place, parseDestination(place) as ObjectDestination, limit);

describe.each(eachObjectPlace)("an entry at a place of the scheme %s", (_, placeOfTest) => {
  const place = placeOfTest();
  const open = (prefix = "team/prod") => openAt(place.destination(prefix));
  /** The requests of this test, once the server has told of so many. */
  const requests = async (count: number) => {
    await vi.waitFor(() => expect(place.requests().length).toBeGreaterThanOrEqual(count), 5_000);
    return place.requests().map((request) => request.split(" ")[0]);
  };

  it("is listed and read by another machine at once, and written again by its own process without a condition", async () => {
    const journal = open();
    await journal.write(name, "one");
    await journal.write(name, "two");
    expect(await open().list(`${start}.`)).toEqual([name]);
    expect(await open().read(name)).toBe("two");
    expect(await requests(4)).toEqual(["PUT", "PUT", "GET", "GET"]);
    expect(await place.names()).toEqual([`team/prod/${name}.json`]);
  });

  it("stays beside another one of the same start, and goes alone", async () => {
    const journal = open();
    await journal.write(name, "one");
    await open().write(other, "two");
    expect((await journal.list(`${start}.`)).sort()).toEqual([name, other]);
    await open().remove(name);
    await open().remove(name);
    expect(await journal.list(`${start}.`)).toEqual([other]);
    expect(await journal.read(name)).toBeUndefined();
  });

  it("belongs to its prefix: two organisations share a place by a prefix each", async () => {
    await open().write(name, "one");
    expect(await open("team/prod-2").list(start)).toEqual([]);
  });

  it("that is larger than an entry, or empty, is an error", async () => {
    await open().write(name, "x".repeat(100_000));
    expect((await rejection(open().read(name))).message).toContain("more than 4096 bytes");
    await open().write(name, "");
    expect((await rejection(open().read(name))).message).toContain("is empty");
  });

  it("of a place that does not exist is an error, and never a journal without entries", async () => {
    const { destination, code } = place.missing;
    for (const work of [() => openAt(destination).list(start), () => openAt(destination).read(name)]) {
      expect((await rejection(work())).message).toContain(code);
    }
    expect((await rejection(openAt(destination).write(name, "x"))).message).toContain(code);
  });

  it("of a place that cannot be used is told in one line that names the place, and shows no credentials", async () => {
    const address = place.destination();
    await place.withoutRights();
    const { message } = await rejection(openAt(address).write(name, "one"));
    expect(message).toMatch(new RegExp(`^${place.words} cannot be used: Auth|^${place.words} cannot be used: Access`));
    expect(message).not.toMatch(/\n|secret|sig=/);
  });
});

describe("in a bucket,", () => {
  const s3 = testS3();
  let place: string;
  let journal: ObjectJournal;
  const open = (of = place, limit?: number) => openAt(of, limit);

  beforeEach(() => {
    place = s3.server.destination(s3.bucket, "team/prod");
    journal = open();
  });

  describe("a bucket that keeps versions", () => {
    it("has an entry gone that was removed, though its versions stay", async () => {
      await keepVersions(s3);
      await journal.write(name, "one");
      await journal.write(name, "two");
      expect(await open().read(name)).toBe("two");
      await open().remove(name);
      expect(await journal.list(start)).toEqual([]);
      expect(await journal.read(name)).toBeUndefined();
      expect((await versionsIn(s3)).length).toBe(3);
    });

    it("and locks them gets each entry with a checksum, after the first put was refused for lack of it", async () => {
      const { url, puts } = await lockedEndpoint(s3);
      const locked = open(`s3://${s3.bucket}/team?endpoint=${encodeURIComponent(url)}`);
      await locked.write(name, "one");
      await locked.write(other, "two");
      expect(puts).toEqual({ refused: 1, taken: 2 });
      expect((await locked.list(start)).sort()).toEqual([name, other]);
      await locked.remove(name);
      expect(await locked.list(start)).toEqual([other]);
    });
  });

  describe("a bucket that cannot be used", () => {
    it("for it is in another region is told with the way to name its region", async () => {
      const moved = "<Error><Code>PermanentRedirect</Code><Message>Use another endpoint.</Message></Error>";
      const { url } = await serve(answer(301, moved, { "content-type": "application/xml" }));
      const elsewhere = open(`s3://bucket/prefix?endpoint=${encodeURIComponent(url)}`);
      const error = await rejection(elsewhere.write(name, "one"));
      expect(error.message).toContain("PermanentRedirect");
      expect((error as JournalPlaceError).remedy).toContain("give the bucket's region as ?region=");
    });
  });

  describe("a bucket that misbehaves", () => {
    /** An S3 server with a test's answers, which counts the bytes it has sent. */
    async function server(answer: http.RequestListener): Promise<{ place: string; count: () => number }> {
      let count = 0;
      const { port } = await listen(
        http.createServer((request, response) => {
          count++;
          answer(request, response);
        }),
      );
      useEnvironment({ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "hidden" });
      const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
      return { place: `s3://bucket/prefix?region=us-east-1&endpoint=${endpoint}`, count: () => count };
    }

    it("by not being there (404) is an error, and no empty journal", async () => {
      const gone = await server((_, response) => {
        response.writeHead(404, { "content-type": "application/xml" });
        response.end("<Error><Code>NoSuchBucket</Code><Message>The bucket does not exist</Message></Error>");
      });
      const journal = open(gone.place);
      for (const work of [() => journal.list(start), () => journal.read(name), () => journal.write(name, "x")]) {
        expect((await rejection(work())).message).toContain("NoSuchBucket");
      }
    });

    it("by never answering costs its limit once in a process, whatever is asked of it", async () => {
      const silent = await server(() => {});
      const journal = open(silent.place, 200);
      const works = [() => journal.list(start), () => journal.read(name), () => journal.write(name, "x")];
      for (const work of works) {
        expect((await rejection(work())).message).toContain("did not answer within 200ms");
      }
      expect(silent.count()).toBe(1);
    });

    it.each<[string, () => Promise<unknown>]>([
      ["a list", () => open(hostile, 60_000).list(start)],
      ["an object", () => open(hostile, 60_000).read(name)],
    ])("by %s without an end is read only as far as an answer may go", async (_, look) => {
      let sent = 0;
      const endless = await server((_, response) => {
        response.writeHead(200, { "content-type": "application/xml" });
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(65_536))) {
            sent += 65_536;
          }
        };
        response.on("drain", more);
        more();
      });
      hostile = endless.place;
      expect((await rejection(look())).message).toMatch(/more than \d+ bytes|too large/);
      expect(sent).toBeLessThan(64 * 1024 ** 2);
    });
    let hostile = "";
  });
});
