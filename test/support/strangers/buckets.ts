import type { Random } from "../random";
import type { StoreAnswer, StoreRequest } from "./storeFront";
import {
  busyFamily,
  drawForeignBody,
  foreignErrorFamily,
  objectActOf,
  refusalsOf,
  type StoreAct,
  type StoreFamilies,
} from "./stores";

/* S3 and similar servers give these answers. The S3 test server does not give them. */

const actOf = objectActOf((url) => /[?&]list-type=/.test(url));

type Refusal = [status: number, code: string];

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function errorOf(status: number, code: string, message: string, more = "", headers = {}): StoreAnswer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped(message)}</Message>${more}<RequestId>4442587FB7D0A2F9</RequestId></Error>`;
  return { status, headers: { "content-type": "application/xml", ...headers }, body };
}

const refusing = refusalsOf(actOf);

/** Returns the entries in a listing, each as its XML text. */
const writtenIn = ({ body }: StoreAnswer) => String(body).match(/<Contents>.*?<\/Contents>/gs) ?? [];

function listing(contents: readonly string[], fields: Record<string, string | number | boolean> = {}): StoreAnswer {
  const all = { Name: "bucket", KeyCount: contents.length, MaxKeys: 1_000, IsTruncated: false, ...fields };
  const text = Object.entries(all).map(([name, value]) => `<${name}>${value}</${name}>`);
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${text.join("")}${contents.join("")}</ListBucketResult>`;
  return { status: 200, headers: { "content-type": "application/xml" }, body };
}

/** Makes a behaviour: a listing comes in small pages, with special characters in the tokens of the pages. */
function pagesOf(random: Random) {
  const size = random.whole(1, 3);
  const begin = random.pick(["", "1+/=&", "a b<", "ü"]);
  let all: string[] = [];
  const pageAt = (at: number) => {
    // A page may be empty although other pages follow.
    const more = at < all.length;
    const isEmpty = more && random.next() < 0.2 && !gaps.has(at);
    gaps.add(at);
    const next = isEmpty ? at : at + size;
    const isTruncated = next < all.length;
    const token = isTruncated && { NextContinuationToken: escaped(`${begin}${next}`) };
    return listing(isEmpty ? [] : all.slice(at, next), { IsTruncated: isTruncated, ...token });
  };
  const gaps = new Set<number>();
  return {
    request: ({ method, url }: StoreRequest) => {
      const token = new URL(url, "http://x").searchParams.get("continuation-token");
      return method === "GET" && token !== null ? pageAt(Number(token.slice(begin.length))) : undefined;
    },
    answer: (usual: StoreAnswer, request: StoreRequest) => {
      if (actOf(request) !== "list" || usual.status !== 200) {
        return {};
      }
      all = writtenIn(usual);
      return pageAt(0);
    },
  };
}

const listed = (change: (contents: string[], request: StoreRequest) => Partial<StoreAnswer>) => ({
  answer: (usual: StoreAnswer, request: StoreRequest) =>
    actOf(request) === "list" && usual.status === 200 ? change(writtenIn(usual), request) : {},
});

const marker = (key: string) =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"d41d8cd98f00b204e9800998ecf8427e"</ETag><Size>0</Size></Contents>`;

const listedTag = (etag: string | undefined) => (etag === undefined ? "" : `<ETag>${etag}</ETag>`);

const prefixOf = ({ url }: StoreRequest) => new URL(url, "http://x").searchParams.get("prefix") ?? "";

/** The request headers that AWS accepts, and that S3 servers of other vendors often refuse. */
const unimplemented =
  /^(if-(none-)?match|x-amz-(checksum|sdk-checksum|trailer|acl|tagging|storage-class|decoded)[\w-]*|expect)$/;

export const bucketFamilies: StoreFamilies = {
  "bucket of another region": ({ random }) => {
    const region = random.pick(["eu-west-1", "ap-southeast-2", "us-gov-west-1", "auto"]);
    const [status, code] = random.pick<Refusal>([
      [301, "PermanentRedirect"],
      [307, "TemporaryRedirect"],
      [400, "AuthorizationHeaderMalformed"],
      [400, "IllegalLocationConstraintException"],
    ]);
    const [inHeader, inBody] = random.pick<readonly [boolean, boolean]>([
      [true, false],
      [true, true],
      [false, code === "AuthorizationHeaderMalformed"],
    ]);
    const place = status < 400 ? "<Endpoint>bucket.s3.example.com</Endpoint>" : "";
    const answer = errorOf(
      status,
      code,
      "The bucket you are attempting to access must be addressed using the specified endpoint.",
      `${place}${inBody ? `<Region>${region}</Region>` : ""}`,
      inHeader ? { "x-amz-bucket-region": region } : {},
    );
    return {
      text: `${status} ${code}, ${region} in ${[inHeader && "the header", inBody && "the body"].filter(Boolean)}`,
      habit: refusing(answer),
      ends: "refused",
      says: inHeader || inBody ? new RegExp(`\\?region=${region}`) : /\?region=/,
    };
  },
  "policy of a bucket, or of its key": ({ random }) => {
    const act = random.pick(["read", "list", "look", "write", "remove"] as const);
    const user = "User: arn:aws:iam::123456789012:user/docs is not authorized to perform";
    const [status, code, message, says] = random.pick<readonly [...Refusal, string, RegExp]>([
      [403, "AccessDenied", "Access Denied", /allow these credentials s3:PutObject/],
      [403, "AccessDenied", `${user}: s3:PutObject because no identity-based policy allows it`, /s3:PutObject/],
      [403, "AllAccessDisabled", "All access to this object has been disabled", /./],
      [403, "AccessDenied", `${user}: kms:GenerateDataKey on this resource`, /the KMS key/],
      [400, "KMS.DisabledException", "arn:aws:kms:x:1:key/2 is disabled.", /the KMS key/],
      [400, "KMS.NotFoundException", "Key 'arn:aws:kms:x:1:key/2' does not exist", /the KMS key/],
      [400, "KMS.KMSInvalidStateException", "the key is pending deletion.", /the KMS key/],
      [501, "NotImplemented", "Server side encryption specified but KMS is not configured", /KMS/],
    ]);
    return {
      text: `${act}: ${status} ${code}, ${message}`,
      habit: refusing(errorOf(status, code, message), act),
      // The answer to a HEAD request has no body, so the provider's error cannot contain the server's reason.
      ends: "refused",
      says: act === "look" ? /./ : says,
    };
  },
  "credentials that a server refuses": ({ random, secrets }) => {
    const echo = secrets.map((secret) => `<Echo>${escaped(secret)}</Echo>`).join("");
    const signed = `<StringToSign>AWS4-HMAC-SHA256</StringToSign>${echo}<SignatureProvided>0</SignatureProvided>`;
    const [status, code, more] = random.pick<readonly [...Refusal, string]>([
      [403, "InvalidAccessKeyId", echo],
      [403, "SignatureDoesNotMatch", signed],
      [400, "ExpiredToken", `<Token-0>${secrets.join()}</Token-0>`],
      [400, "InvalidToken", `<Token-0>${secrets.join()}</Token-0>`],
      [400, "TokenRefreshRequired", ""],
      [401, "Unauthorized", ""],
      [403, "InvalidSecurity", echo],
      [403, "AccessKeyDisabled", ""],
    ]);
    const message = random.pick([
      "The request was refused.",
      `no such credentials: ${secrets.join(", ")}`,
      "two\nlines\u001b[31m ::error::x",
      "x".repeat(20_000),
    ]);
    return {
      text: `${status} ${code}, ${message.slice(0, 20)}`,
      habit: refusing(errorOf(status, code, message, more)),
      ends: "refused",
      says: /correct the credentials/,
    };
  },
  "busy for some requests": busyFamily(actOf, [
    errorOf(503, "SlowDown", "Please reduce your request rate."),
    errorOf(503, "ServiceUnavailable", "Please try again."),
    errorOf(429, "TooManyRequests", "Please reduce your request rate."),
    errorOf(500, "InternalError", "We encountered an internal error. Please try again."),
    errorOf(400, "RequestTimeout", "Your socket connection to the server was not read from."),
    { status: 503, headers: { "content-type": "text/html" }, body: "<h1>503</h1>" },
    { status: 502, headers: {}, body: "" },
  ]),
  "errors in other words": foreignErrorFamily(actOf),
  "listing in small pages": ({ random }) => ({
    text: "tokens of its own",
    habit: pagesOf(random),
    ends: "well",
    layout: "site",
  }),
  "listing that ends early": ({ random }) => {
    const kept = random.whole(0, 3);
    const marked = random.pick<Record<string, string>>([{}, { NextMarker: "x" }, { NextContinuationToken: "" }]);
    return {
      text: `${kept} objects, truncated without a token, ${JSON.stringify(marked)}`,
      habit: listed((contents) =>
        contents.length > kept ? listing(contents.slice(0, kept), { IsTruncated: true, ...marked }) : {},
      ),
      ends: "refused",
      layout: "site",
      says: /whole|incomplete|complete/,
    };
  },
  "listing in another form": ({ random }) => {
    const [text, change] = random.pick<[string, (contents: string[], prefix: string) => Partial<StoreAnswer>]>([
      ["the first version's fields", (contents) => listing(contents, { Marker: "", EncodingType: "" })],
      ["no order, as a directory bucket", (contents) => listing(contents.toReversed())],
      ["ETags without quotes", (contents) => listing(contents.map((one) => one.replaceAll(/"|&#34;|&quot;/g, "")))],
      [
        "no ETags' quotes but entities",
        (contents) => listing(contents.map((one) => one.replaceAll(/"|&#34;/g, "&quot;"))),
      ],
      ["its own folder", (contents, prefix) => listing([marker(prefix), ...contents])],
      [
        "markers of folders",
        (contents, prefix) => listing([marker(`${prefix}guide/`), ...contents, marker(`${prefix}z/`)]),
      ],
      [
        "keys that are encoded, although nobody asked for it",
        (contents) =>
          listing(
            contents.map((one) =>
              one.replace(/(?<=<Key>).*?(?=<\/Key>)/, (key) => encodeURIComponent(key).replaceAll("%20", "+")),
            ),
            { EncodingType: "url" },
          ),
      ],
      [
        "other fields, and lines between them",
        (contents) =>
          listing(
            contents.map((one) =>
              one.replace("<Key>", "\n  <Owner><ID>1</ID></Owner>\n  <Key>").replaceAll("><", ">\n<"),
            ),
          ),
      ],
    ]);
    return {
      text,
      habit: listed((contents, request) => change(contents, prefixOf(request))),
      ends: "well",
      layout: "site",
    };
  },
  "listing with keys beside the prefix": ({ random }) => {
    const name = random.pick(["guide/start.html", "index.html", ""]);
    const habit = listed((contents, request) =>
      listing([marker(prefixOf(request).replace(/./g, "x") + name), ...contents]),
    );
    return { text: name, habit, ends: "well", layout: "site" };
  },
  "page instead of a listing": ({ random }) => {
    const foreign = drawForeignBody(random);
    return {
      text: String(foreign.body).slice(0, 40),
      habit: listed(() => foreign),
      ends: "refused",
      layout: "site",
    };
  },
  "listing of an earlier time": () => {
    let earlier: string[] | undefined;
    return {
      text: "of the first request",
      habit: listed((contents) => {
        earlier ??= contents;
        return listing(earlier);
      }),
      ends: "either",
      layout: "site",
    };
  },
  "ETags in another form": ({ random }) => {
    const [text, write] = random.pick<[string, (etag: string) => string | undefined]>([
      ["none", () => undefined],
      ["without quotes", (etag) => etag.replaceAll('"', "")],
      ["weak", (etag) => `W/${etag}`],
    ]);
    const acts = random.pick<StoreAct[]>([["write"], ["look"], ["write", "look"], ["write", "look", "list"]]);
    return {
      text: `${text}: ${acts}`,
      habit: {
        answer: ({ headers, body }, request) => {
          const act = actOf(request);
          if (!acts.some((one) => one === act)) {
            return {};
          }
          return act === "list"
            ? { body: String(body).replace(/<ETag>(.*?)<\/ETag>/g, (_, etag) => listedTag(write(etag))) }
            : typeof headers.etag === "string"
              ? { headers: { ...headers, etag: write(headers.etag) } }
              : {};
        },
      },
      ends: text === "none" && acts.includes("look") ? "either" : "well",
    };
  },
  "headers that a server does not implement": () => ({
    text: "conditions, checksums, chunks",
    habit: {
      request: ({ headers }) =>
        Object.keys(headers).some((name) => unimplemented.test(name)) ||
        /aws-chunked|STREAMING/.test(`${headers["content-encoding"]} ${headers["x-amz-content-sha256"]}`)
          ? errorOf(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
          : undefined,
    },
    ends: "well",
  }),
  "objects that are locked": ({ random }) => {
    const [status, code, message] = random.pick<readonly [...Refusal, string]>([
      [403, "AccessDenied", "Access Denied because object protected by object lock."],
      [400, "InvalidRequest", "Object is WORM protected and cannot be overwritten"],
      [403, "AccessDenied", "This object is under a legal hold"],
      [403, "ObjectLocked", "Forbidden by a retention policy"],
    ]);
    const act = random.pick(["remove", "remove", "write"] as const);
    return {
      text: `${act}: ${status} ${code}, ${message}`,
      habit: refusing(errorOf(status, code, message), act),
      ends: "refused",
      says: /the object is locked/,
    };
  },
  "answers to a deletion": ({ random }) => {
    const status = random.pick([200, 202, 204]);
    return {
      text: `${status}`,
      habit: { answer: (_, request) => (actOf(request) === "remove" ? { status } : {}) },
      occasions: ["renewal", "removal"],
      ends: "well",
    };
  },
  "looks that are not allowed": ({ random }) => {
    const status = random.pick([403, 404, 405, 400, 501]);
    return {
      text: `${status}, without a body`,
      habit: refusing({ status, headers: {}, body: "" }, "look"),
      ends: status === 404 ? "well" : "either",
    };
  },
};
