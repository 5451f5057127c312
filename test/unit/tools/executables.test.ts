import { createHash, hash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { bundleProgram } from "../../../tools/release/plugins/bundle";
import { signatureOf, signedAdHoc } from "../../../tools/release/plugins/machO";
import { pluginRelease } from "../../../tools/release/plugins/release";
import { reproducibleZip } from "../../../tools/release/plugins/releaseArchives";
import { certificateOf, withoutCertificate } from "../../../tools/release/plugins/windowsCertificate";
import { writeRegistryFiles } from "../../../tools/release/terraform/registryFiles";
import { temporaryFolder } from "../../support/temporaryFolder";

const read = (folder: string, name: string) => readFileSync(join(folder, name), "utf8");

describe("an executable of macOS", () => {
  /** Makes an executable without a signature. Its second segment is the last part of the file. */
  function unsigned(bytes: number): Buffer {
    const file = Buffer.alloc(bytes, 7);
    const [text, linkEdit] = [72 + 80, 72];
    const header = [0xfeedfacf, 0x0100000c, 0, 2, 2, text + linkEdit, 0, 0];
    for (const [index, value] of header.entries()) {
      file.writeUInt32LE(value, index * 4);
    }
    const segment = (at: number, name: string, size: number, offset: number, length: number, sections: number) => {
      file.fill(0, at, at + size);
      file.writeUInt32LE(0x19, at);
      file.writeUInt32LE(size, at + 4);
      file.write(name, at + 8, "latin1");
      file.writeBigUInt64LE(BigInt(offset), at + 40);
      file.writeBigUInt64LE(BigInt(length), at + 48);
      file.writeUInt32LE(sections, at + 64);
    };
    segment(32, "__TEXT", text, 0, 8_192, 1);
    file.writeUInt32LE(4_096, 32 + 72 + 48);
    segment(184, "__LINKEDIT", linkEdit, 8_192, bytes - 8_192, 0);
    return file;
  }

  it("is signed by the hash of each page of what comes before the signature, and by no name", () => {
    const signed = signedAdHoc(unsigned(20_001), "docs");
    const { offset, size } = signatureOf(signed) ?? { offset: 0, size: 0 };
    expect([offset, offset + size]).toEqual([20_016, signed.length]);
    const directory = signed.subarray(offset + 20);
    const [magic, length, , flags, hashes, identifier, , count, limit] = Array.from({ length: 9 }, (_, index) =>
      directory.readUInt32BE(index * 4),
    );
    expect([magic, flags, count, limit]).toEqual([0xfade0c02, 2, 5, offset]);
    expect(directory.toString("latin1", identifier, hashes)).toBe("docs\0");
    const pages = Array.from({ length: 5 }, (_, page) =>
      signed.subarray(page * 4_096, Math.min((page + 1) * 4_096, offset)),
    );
    const expected = Buffer.concat(pages.map((page) => createHash("sha256").update(page).digest()));
    expect(directory.subarray(hashes, length)).toEqual(expected);
    // The last segment must contain the signature, because the system loads only segments.
    expect(Number(signed.readBigUInt64LE(184 + 48))).toBe(signed.length - 8_192);
  });
});

describe("an executable of Windows", () => {
  it("keeps no entry for the certificate of the Node.js that it was made of", () => {
    const file = Buffer.alloc(512);
    file.writeUInt32LE(64, 0x3c);
    file.write("PE\0\0", 64, "latin1");
    file.writeUInt16LE(0x20b, 88);
    file.writeUInt32LE(4_711, 88 + 112 + 32);
    file.writeUInt32LE(99, 88 + 112 + 36);
    expect(certificateOf(file)).toEqual({ offset: 4_711, size: 99 });
    expect(certificateOf(withoutCertificate(file))).toEqual({ offset: 0, size: 0 });
  });
});

it("Terraform's registry gets a manifest with the protocol, and the sums of it and of the archives", async () => {
  const folder = temporaryFolder();
  const archive = "terraform-provider-docsplatform_1.2.3_linux_amd64.zip";
  writeFileSync(join(folder, archive), await reproducibleZip([{ name: "provider", content: "text" }]));
  const [manifest = "", sums = ""] = await writeRegistryFiles(folder, "1.2.3", [archive]);
  expect(read(folder, manifest)).toBe('{"version":1,"metadata":{"protocol_versions":["6.0"]}}');
  const lines = [archive, manifest].map((name) => `${hash("sha256", readFileSync(join(folder, name)))}  ${name}`);
  expect(read(folder, sums).trim().split("\n").sort()).toEqual(lines.sort());
});

it("an executable loads at a start neither the SDK of Pulumi nor what requests and mirrors need", async () => {
  const { main, libraries, packages } = await bundleProgram(pluginRelease.entry);
  expect(Buffer.byteLength(main)).toBeLessThan(600_000);
  expect(libraries).toContain("undici");
  const names = packages.map((folder) => folder.replace(/^.*node_modules\//, ""));
  expect(names).toEqual(expect.arrayContaining(["@aws-sdk/client-s3", "@azure/storage-blob", "undici", "zod"]));
  expect(names).not.toContain("@pulumi/pulumi");
});

it("the plugin's scripts start the same file, the one for Windows by the path from its own folder", () => {
  const textOf = (name: string) => read(join(projectRoot, "plugin"), name);
  const [, shell = ""] = /\/\.\." && pwd\)\/(\S+)" "\$@"/.exec(textOf("pulumi-resource-docs-platform")) ?? [];
  const [, windows = ""] = /"%~dp0\.\.\\(\S+)" %\*/.exec(textOf("pulumi-resource-docs-platform.cmd")) ?? [];
  expect(windows.replaceAll("\\", "/")).toBe(shell);
  expect(existsSync(join(projectRoot, shell))).toBe(true);
});
