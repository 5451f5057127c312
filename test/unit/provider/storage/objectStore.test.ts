import { describe, expect, it } from "vitest";
import type { ObjectStore } from "../../../../provider/storage/objectStore";
import { DestinationError, RunCancelledError } from "../../../../provider/support/errors";
import { campaign } from "../../../support/campaign";
import { never, rejection } from "../../../support/clientUnderTest";
import { closedPort } from "../../../support/loopback";
import { freezingProxy } from "../../../support/mirror/freezingProxy";
import { eachObjectPlace, openedStore } from "../../../support/mirror/objectPlaces";
import { gzipLike, sha256Of } from "../../../support/mirror/storage";
import { until } from "../../../support/until";

const options = { contentType: "text/plain", signal: never };
const mebibyte = 1024 ** 2;

async function* chunksOf(bytes: Buffer, fault?: Error): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += mebibyte) {
    yield bytes.subarray(at, at + mebibyte);
  }
  if (fault) {
    throw fault;
  }
}

const text = (content: string) => chunksOf(Buffer.from(content));

/** The tests check the operations that mirrors and journals use, on a real server of each kind of object storage. */
describe.each(eachObjectPlace)("a place of the scheme %s", (_, placeOfTest) => {
  const place = placeOfTest();
  const store = (prefix = "") => openedStore(place.destination(prefix));
  const requests = (without = "") => place.requests().filter((request) => !request.startsWith(`${without} `));

  describe("put", () => {
    it.each([
      ["of nothing", 0],
      ["of one part", 300_000],
      ["of several parts", 20 * mebibyte + 7],
    ])("%s brings every byte, and shows the same size and revision as stat does", async (_, size) => {
      const bytes = gzipLike(Math.max(2, size)).subarray(0, size);
      const there = store("docs");
      const seen = await there.put("a.bin", chunksOf(bytes), { ...options, expectedBytes: size });
      expect(sha256Of(await place.read("docs/a.bin"))).toBe(sha256Of(bytes));
      expect(seen.sizeBytes).toBe(size);
      expect((await there.stat(["a.bin"])).get("a.bin")).toEqual(seen);
    });

    it("is visible as a whole from the moment at which it ends", async () => {
      const there = store();
      async function* content(): AsyncGenerator<Buffer> {
        yield gzipLike(40 * mebibyte);
        await until(() => requests().length >= 2);
        expect(await place.names()).toEqual([]);
      }
      await there.put("a.bin", content(), options);
      expect(await place.names()).toEqual(["a.bin"]);
    });

    it.each([
      ["one part", 1_000],
      ["several parts", 20 * mebibyte],
    ])("of %s shows type and caching, as a web server before the place hands them on", async (_, size) => {
      const headers = { contentType: "text/html", cacheControl: "no-cache" };
      await store().put("a.html", chunksOf(gzipLike(size)), { ...options, ...headers });
      expect(await place.headers("a.html")).toEqual(headers);
    });

    it.each([
      ["one part", 300_000],
      ["several parts", 20 * mebibyte],
    ])("of content that breaks after %s leaves nothing, and throws what the content threw", async (_, size) => {
      const broken = new Error("broken");
      expect(await rejection(store().put("a.bin", chunksOf(gzipLike(size), broken), options))).toBe(broken);
      expect(await place.names()).toEqual([]);
      expect(await store().stat(["a.bin"])).toEqual(new Map());
    });

    it("leaves the old object if the content breaks", async () => {
      const there = store();
      await there.put("a.bin", text("old"), options);
      await rejection(there.put("a.bin", chunksOf(gzipLike(20 * mebibyte), new Error("broken")), options));
      expect((await place.read("a.bin")).toString()).toBe("old");
    });

    it("changes the revision with the content", async () => {
      const there = store();
      const before = await there.put("a.bin", text("one"), options);
      await place.write("a.bin", "two");
      expect((await there.stat(["a.bin"])).get("a.bin")?.revision).not.toBe(before.revision);
    });

    it("that is cancelled ends at once, and leaves nothing", async () => {
      const proxy = await freezingProxy(place.endpoint);
      const there = openedStore(place.destination("", proxy.url));
      const controller = new AbortController();
      const put = rejection(
        there.put("a.bin", chunksOf(gzipLike(60 * mebibyte)), { ...options, signal: controller.signal }),
      );
      await until(() => proxy.bytes > 4 * mebibyte);
      proxy.freeze();
      controller.abort(new Error("cancelled"));
      setTimeout(() => proxy.thaw(), 200);
      expect(await put).toBeInstanceOf(RunCancelledError);
      expect(await place.names()).toEqual([]);
    });
  });

  describe("stat", () => {
    it("asks by HEAD, reads nothing, and finds what is there", async () => {
      const there = store("docs");
      await there.put("a", text("x"), options);
      expect([...(await there.stat(["a"])).keys()]).toEqual(["a"]);
      await until(() => requests("PUT").length >= 1);
      expect(requests("PUT")).toEqual(["HEAD docs/a"]);
      expect([...(await there.stat(["a", "b", "a/b"])).keys()]).toEqual(["a"]);
    });

    it("lists where there are many, and finds the same", async () => {
      const there = store("docs");
      const names = Array.from({ length: 12 }, (_, index) => `pages/${index}.html`);
      for (const name of names) {
        await there.put(name, text(name), options);
      }
      const listed = await there.stat([...names, "pages/none.html"]);
      expect([...listed.keys()].sort()).toEqual([...names].sort());
      await until(() => requests("PUT").length >= 1);
      expect(requests("PUT")).toEqual(["GET "]);
      expect(listed.get("pages/3.html")).toEqual((await there.stat(["pages/3.html"])).get("pages/3.html"));
    });

    it("finds nothing in a place that does not exist", async () => {
      expect(await openedStore(place.missing.destination).stat(["a"])).toEqual(new Map());
    });

    it("with a wrong secret is an error, and never finds it gone", async () => {
      await store().put("a", text("x"), options);
      place.useWrongSecret();
      expect(await rejection(store().stat(["a"]))).toBeInstanceOf(DestinationError);
    });
  });

  describe("list, read and remove", () => {
    it("list what is below the prefix, of every page, and nothing beside it", async () => {
      const there = store("docs");
      // In the campaign, the listing has a second page, because a page has at most a thousand names.
      const length = campaign ? 1_050 : 12;
      const names = Array.from({ length }, (_, index) => `pages/${String(index).padStart(4, "0")}.html`);
      await Promise.all(names.map((name) => place.write(`docs/${name}`, "x")));
      await place.write("docs-2/other.html", "x");
      const listed: string[] = [];
      for await (const name of there.list()) {
        listed.push(name);
      }
      expect(listed.sort()).toEqual(names);
    }, 60_000);

    it("read a small text, and nothing where it is not", async () => {
      const there = store();
      await there.put("a", text("text"), options);
      expect(await there.read("a", 100)).toBe("text");
      expect(await there.read("b", 100)).toBeUndefined();
    });

    it("read nothing of a text that is larger than a reader accepts", async () => {
      const there = store();
      await there.put("a", chunksOf(Buffer.alloc(mebibyte, " ")), options);
      expect(await there.read("a", mebibyte)).toHaveLength(mebibyte);
      expect(await there.read("a", mebibyte - 1)).toBe("");
    });

    it("read every byte of a large object", async () => {
      const bytes = gzipLike(20 * mebibyte);
      await store().put("a", chunksOf(bytes), options);
      const chunks: Buffer[] = [];
      for await (const chunk of store().content("a")) {
        chunks.push(chunk);
      }
      expect(sha256Of(Buffer.concat(chunks))).toBe(sha256Of(bytes));
    });

    it("remove what is there, find no fault in what is not, and leave the rest", async () => {
      const there = store();
      for (const name of ["a", "b", "c"]) {
        await there.put(name, text(name), options);
      }
      await there.remove(["a", "b", "never"]);
      expect(await place.names()).toEqual(["c"]);
    });
  });

  it("has an address for each object, with what an address cannot contain escaped, and without a query", async () => {
    const there = store("a b");
    await there.put("x%2F(1).tar.gz", text("x"), options);
    expect(there.address("x%2F(1).tar.gz")).toBe(`${place.root}a%20b/x%252F%281%29.tar.gz`);
    expect(there.address("")).toBe(`${place.root}a%20b/`);
  });

  it("is reached by plain http for a platform on this machine only", async () => {
    expect(() => openedStore(place.destination(), { plainLoopback: false, signal: never })).toThrow(
      "would be reached by plain http at 127.0.0.1",
    );
  });

  describe("that cannot be used is reported with the reason and what to do:", () => {
    const usualRemedy = "What to do: check the destination, the network and the credentials";
    const failure = async (there: ObjectStore) => {
      const error = await rejection(there.put("a", text("x"), options));
      expect(error).toBeInstanceOf(DestinationError);
      return error.message;
    };

    it("it does not exist", async () => {
      const message = await failure(openedStore(place.missing.destination));
      expect(message).toContain("never-made");
      expect(message).toContain(place.missing.code);
      expect(message).toContain("What to do: create");
    });

    it("no permission", async () => {
      const there = place.destination();
      await place.withoutRights();
      const message = await failure(openedStore(there));
      expect(message).toContain(place.words);
      expect(message).toMatch(/\b[A-Z]\w+, .*HTTP 403/);
      expect(message).not.toContain(usualRemedy);
    });

    it("a wrong secret, which is not shown", async () => {
      const wrong = place.useWrongSecret();
      const message = await failure(store());
      expect(message).toContain("What to do: correct");
      expect(message).not.toContain(wrong);
    });

    it("a server that is not there", async () => {
      const endpoint = `http://127.0.0.1:${closedPort}`;
      expect(await failure(openedStore(place.destination("", endpoint)))).toContain(
        "the connection was refused (ECONNREFUSED)",
      );
    }, 15_000);

    it("the object that cannot be removed", async () => {
      const there = openedStore(place.destination("", `http://127.0.0.1:${closedPort}`));
      expect((await rejection(there.remove(["docs/a"]))).message).toContain(
        'cannot be used: the object "docs/a" cannot be removed: the connection was refused (ECONNREFUSED)',
      );
    }, 15_000);
  });
});
