import { generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";

export interface ServerCertificate {
  key: string;
  cert: string;
  der: Buffer;
}

const tag = { bool: 1, integer: 2, bits: 3, octets: 4, objectId: 6, text: 12, sequence: 48, set: 49 } as const;
const part = { version: 0xa0, extensions: 0xa3, dnsName: 0x82 } as const;
/** The tags of a time: the year has two digits (`short`) or four digits (`long`). */
const time = { short: 23, long: 24 } as const;

const ecdsaWithSha256 = tlv(tag.sequence, tlv(tag.objectId, Buffer.from("2a8648ce3d040302", "hex")));
const commonName = tlv(tag.objectId, Buffer.from("550403", "hex"));
const [subjectAltName, keyUsage, basicConstraints] = ["551d11", "551d0f", "551d13"].map((id) =>
  tlv(tag.objectId, Buffer.from(id, "hex")),
) as [Buffer, Buffer, Buffer];

const localhost = Buffer.from("localhost");
const yes = tlv(tag.bool, Buffer.of(0xff));
const name = sequence(tlv(tag.set, sequence(commonName, tlv(tag.text, localhost))));
/** Only one run uses the certificate, so its age does not matter. */
const validity = sequence(
  tlv(time.short, Buffer.from("000101000000Z")),
  tlv(time.long, Buffer.from("99991231235959Z")),
);
const extensions = sequence(
  sequence(basicConstraints, yes, tlv(tag.octets, sequence(yes))),
  // The bits digitalSignature and keyCertSign. In a bit string, the first byte is the number of unused bits.
  sequence(keyUsage, yes, tlv(tag.octets, tlv(tag.bits, Buffer.of(2, 0b1000_0100)))),
  sequence(subjectAltName, tlv(tag.octets, sequence(tlv(part.dnsName, localhost)))),
);

/** Encodes the certificate itself, because a library would load a dozen packages at each start. */
export function makeCertificate(): ServerCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const serial = randomBytes(16);
  // The first byte must be from 1 to 127: a larger byte makes the number negative, and DER forbids a needless zero.
  serial[0] = 1;
  const body = sequence(
    tlv(part.version, tlv(tag.integer, Buffer.of(2))),
    tlv(tag.integer, serial),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(part.extensions, extensions),
  );
  const signature = tlv(tag.bits, Buffer.concat([Buffer.of(0), sign("sha256", body, privateKey)]));
  const der = sequence(body, ecdsaWithSha256, signature);
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { key, cert: new X509Certificate(der).toString(), der };
}

function tlv(type: number, value: Buffer): Buffer {
  const { length } = value;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(type, ...size), value]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(tag.sequence, Buffer.concat(parts));
}
