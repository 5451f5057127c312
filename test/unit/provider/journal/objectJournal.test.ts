import http from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ObjectJournal } from "../../../../provider/journal/objectJournal";
import { rejection } from "../../../support/clientUnderTest";
import { listen } from "../../../support/loopback";
import { eachObjectPlace, objectDestination } from "../../../support/mirror/objectPlaces";
import { useEnvironment } from "../../../support/mirror/s3Server";

const start = `${"a".repeat(32)}-${"b".repeat(32)}`;
const name = `${start}.0123456789ab`;

/** Opens the journal, as a process on another machine would. */
const openAt = (place: string, limit?: number) => new ObjectJournal(place, objectDestination(place), limit);

describe.each(eachObjectPlace)("an entry at a place of the scheme %s", (_, placeOfTest) => {
  const place = placeOfTest();
  const open = (prefix = "team/prod") => openAt(place.destination(prefix));
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

  it("cannot be read at a place that does not exist: this is an error, and never a journal without entries", async () => {
    const { destination, code } = place.missing;
    for (const work of [() => openAt(destination).list(start), () => openAt(destination).read(name)]) {
      expect((await rejection(work())).message).toContain(code);
    }
    expect((await rejection(openAt(destination).write(name, "x"))).message).toContain(code);
  });

  it("cannot be read at a place that cannot be used: one line names the place, and shows no credentials", async () => {
    const address = place.destination();
    await place.withoutRights();
    const { message } = await rejection(openAt(address).write(name, "one"));
    expect(message).toMatch(new RegExp(`^${place.words} cannot be used: Auth|^${place.words} cannot be used: Access`));
    expect(message).not.toMatch(/\n|secret|sig=/);
  });
});

describe("a bucket", () => {
  beforeEach(() =>
    useEnvironment({ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "hidden", AWS_REGION: "us-east-1" }),
  );
  afterEach(() => vi.unstubAllEnvs());

  it("that never answers costs its limit once in a process, whatever is asked of it", async () => {
    let asked = 0;
    const { port } = await listen(http.createServer(() => asked++));
    const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
    const journal = openAt(`s3://bucket/prefix?region=us-east-1&endpoint=${endpoint}`, 200);
    for (const work of [() => journal.list(start), () => journal.read(name), () => journal.write(name, "x")]) {
      expect((await rejection(work())).message).toContain("did not answer within 200ms");
    }
    expect(asked).toBeLessThanOrEqual(1);
  });

  it.each<[string, (journal: ObjectJournal) => Promise<unknown>]>([
    ["a list", (journal) => journal.list(start)],
    ["an object", (journal) => journal.read(name)],
  ])("that sends %s without an end is read only as far as an answer may go", async (_, look) => {
    let sent = 0;
    const { port } = await listen(
      http.createServer((_, response) => {
        response.writeHead(200, { "content-type": "application/xml" });
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(65_536))) {
            sent += 65_536;
          }
        };
        response.on("drain", more);
        more();
      }),
    );
    const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
    const journal = openAt(`s3://bucket/prefix?region=us-east-1&endpoint=${endpoint}`, 60_000);
    expect((await rejection(look(journal))).message).toMatch(/more than \d+ bytes|too large/);
    expect(sent).toBeLessThan(64 * 1024 ** 2);
  });
});
