import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/**
 * How long a certificate is valid before and after now, in milliseconds. The range is so wide that the clock does not
 * matter: one run uses the certificate.
 */
const goodFor = 30 * 24 * 3_600_000;

const objectIds = {
  ecdsaWithSha256: [1, 2, 840, 10045, 4, 3, 2],
  commonName: [2, 5, 4, 3],
  basicConstraints: [2, 5, 29, 19],
  keyUsage: [2, 5, 29, 15],
  subjectAltName: [2, 5, 29, 17],
};

/** The usages digitalSignature and keyCertSign, which a self-signed certificate needs. Two bits are not used. */
const keyUsages = [2, 0b1000_0100];

/** A certificate that only this process has, for the server to which Terraform connects. */
export interface ServerCertificate {
  /** Encoded as PEM. */
  key: string;
  /** Encoded as PEM. */
  cert: string;
  /** The certificate in `cert`, encoded as DER. */
  der: Buffer;
}

/**
 * Makes a P-256 key and a self-signed certificate of `localhost`. Node.js verifies certificates, but does not make
 * them. The libraries that make them would bring a dozen packages to each start, for this one kind of certificate.
 */
export function makeCertificate(now = Date.now()): ServerCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId(objectIds.ecdsaWithSha256));
  const name = sequence(tlv(0x31, sequence(objectId(objectIds.commonName), tlv(0x0c, Buffer.from("localhost")))));
  const body = sequence(
    tlv(0xa0, wholeNumber(Buffer.from([2]))),
    wholeNumber(randomBytes(16)),
    algorithm,
    name,
    sequence(time(now - goodFor), time(now + goodFor)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(...extensions())),
  );
  const signature = sign("sha256", body, privateKey);
  const der = sequence(body, algorithm, bitString(0, signature));
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert: pem(der), der };
}

function extensions(): Buffer[] {
  const yes = tlv(0x01, Buffer.from([0xff]));
  const [unused = 0, usages = 0] = keyUsages;
  const isAuthority = extension(objectIds.basicConstraints, yes, sequence(yes));
  const usage = extension(objectIds.keyUsage, yes, bitString(unused, Buffer.from([usages])));
  const names = extension(objectIds.subjectAltName, undefined, sequence(tlv(0x82, Buffer.from("localhost"))));
  return [isAuthority, usage, names];
}

function extension(id: number[], critical: Buffer | undefined, value: Buffer): Buffer {
  return sequence(objectId(id), ...(critical === undefined ? [] : [critical]), tlv(0x04, value));
}

/** Encodes a certificate as PEM: in lines of 64 characters, and without an empty line, at which some readers stop. */
function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

/** Encodes a tag, a length and a value, the form of everything in DER. */
function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value;
  if (length < 0x80) {
    return Buffer.concat([Buffer.from([tag, length]), value]);
  }
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), value]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

/**
 * Encodes a positive number in the fewest bytes. If its first bit is set, a zero byte is put before it: otherwise the
 * number would be negative.
 */
function wholeNumber(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const shortest = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  return tlv(0x02, (shortest[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), shortest]) : shortest);
}

function objectId([first = 0, second = 0, ...rest]: number[]): Buffer {
  const bytes = rest.flatMap((part) => {
    const sevens = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) {
      sevens.unshift((left & 0x7f) | 0x80);
    }
    return sevens;
  });
  return tlv(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

function bitString(unused: number, bits: Buffer): Buffer {
  return tlv(0x03, Buffer.concat([Buffer.from([unused]), bits]));
}

/** Encodes a time: until the year 2049 with two digits of the year, and from then on with four. */
function time(milliseconds: number): Buffer {
  const digits = `${new Date(milliseconds).toISOString().slice(0, 19).replace(/[-T:]/g, "")}Z`;
  const isShort = Number(digits.slice(0, 4)) < 2050;
  return tlv(isShort ? 0x17 : 0x18, Buffer.from(isShort ? digits.slice(2) : digits));
}
