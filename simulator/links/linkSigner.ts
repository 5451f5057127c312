import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** `expiresAt` is in milliseconds since the epoch on the platform's clock. */
export interface SignedLink {
  readonly url: string;
  readonly expiresAt: number;
}

export interface IncomingLinkRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

export type LinkVerdict = "valid" | "unsigned" | "wrongSignature" | { expired: number };

/** Signs links for GET in the form of AWS (version 4), and checks such links. */
export class LinkSigner {
  readonly #secret = randomBytes(30).toString("base64url");
  readonly #ends = new Map<string, number>();

  /** @param life milliseconds. */
  issue(baseUrl: string, path: string, now: number, life: number): SignedLink {
    // The random id makes two links of the same second differ. The query has only whole seconds. So `#ends` maps the id
    // to the exact expiry.
    const keyId = `ASIA${randomBytes(8).toString("hex").toUpperCase()}`;
    const url = new URL(path, baseUrl);
    // Rounded up to seconds, so that the expiry in the query is never before the exact expiry.
    const date = compactDate(Math.ceil(now / 1000) * 1000);
    const query = new URLSearchParams({
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": `${keyId}/${date.slice(0, 8)}/us-east-1/s3/aws4_request`,
      "X-Amz-Date": date,
      "X-Amz-Expires": String(Math.ceil(life / 1000)),
      "X-Amz-SignedHeaders": "host",
    });
    query.append("X-Amz-Signature", this.#sign({ method: "GET", host: url.host, path: url.pathname, query }));
    url.search = query.toString();
    this.#ends.set(keyId, now + life);
    return { url: url.href, expiresAt: now + life };
  }

  /** Checks the signature first, so that a forged link is never reported as expired. */
  verify(request: IncomingLinkRequest, now: number): LinkVerdict {
    const given = request.query.get("X-Amz-Signature");
    if (given === null) {
      return "unsigned";
    }
    const signed = new URLSearchParams(request.query);
    signed.delete("X-Amz-Signature");
    const end = this.#ends.get(signed.get("X-Amz-Credential")?.split("/")[0] ?? "");
    if (end === undefined || !same(given, this.#sign({ ...request, query: signed }))) {
      return "wrongSignature";
    }
    return now < end ? "valid" : { expired: end };
  }

  #sign({ method, host, path, query }: IncomingLinkRequest): string {
    const sorted = new URLSearchParams(query);
    sorted.sort();
    return createHmac("sha256", this.#secret).update([method, host, path, sorted].join("\n")).digest("hex");
  }
}

function compactDate(time: number): string {
  return new Date(time).toISOString().replace(/[-:]|\.\d+/g, "");
}

function same(given: string, right: string): boolean {
  return given.length === right.length && timingSafeEqual(Buffer.from(given, "latin1"), Buffer.from(right, "latin1"));
}
