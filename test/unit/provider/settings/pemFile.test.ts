import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { authority, trustedClient, trustedServer } from "../../../support/certificate";
import { problemsOf as problems, settingsFrom as read } from "../../../support/settingsUnderTest";
import { folderOfFile } from "../../../support/temporaryFolder";

describe("files of certificates", () => {
  const folder = folderOfFile();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const ca = file("ca.pem", `# a comment\r\n${authority}${authority}`);
  const cert = file("client.pem", trustedClient.cert);
  const key = file("client.key", trustedClient.key);
  const both = file("both.pem", `${trustedClient.key}${trustedClient.cert}`);

  it("are accepted, also certificate and key in one", () => {
    const environment = { DOCS_PLATFORM_CA_FILE: ca, DOCS_PLATFORM_CLIENT_CERT_FILE: cert };
    expect(read({ ...environment, DOCS_PLATFORM_CLIENT_KEY_FILE: key }).tls).toEqual({
      caFile: ca,
      clientCertFile: cert,
      clientKeyFile: key,
    });
    expect(
      read({ DOCS_PLATFORM_CLIENT_CERT_FILE: both, DOCS_PLATFORM_CLIENT_KEY_FILE: both }).tls.caFile,
    ).toBeUndefined();
  });

  it.each([
    ["caFile", "DOCS_PLATFORM_CA_FILE", join(folder, "none"), "does not exist"],
    ["caFile", "DOCS_PLATFORM_CA_FILE", folder, "is a folder"],
    ["caFile", "DOCS_PLATFORM_CA_FILE", key, "contains no certificate in PEM format"],
    ["caFile", "DOCS_PLATFORM_CA_FILE", file("cut.pem", authority.replace(/MI.*\n/, "")), "contains no certificate"],
    [
      "caFile",
      "DOCS_PLATFORM_CA_FILE",
      file("second.pem", `${authority}${authority.replace(/MI.*\n/, "")}`),
      "contains no certificate",
    ],
    [
      "caFile",
      "DOCS_PLATFORM_CA_FILE",
      file("end.pem", authority + authority.slice(0, 200)),
      "contains no certificate",
    ],
    ["clientCertFile", "DOCS_PLATFORM_CLIENT_CERT_FILE", file("empty", ""), "contains no certificate"],
    [
      "clientKeyFile",
      "DOCS_PLATFORM_CLIENT_KEY_FILE",
      ca,
      "contains no private key in PEM format, or an encrypted one",
    ],
  ])("are refused by name: %s, as %s=%s", (name, variable, path, told) => {
    const found = problems({ [variable]: path });
    expect(found).toEqual([
      expect.stringContaining(
        `the setting ${name}, read from ${variable}, names the file ${path}, but this file ${told}`,
      ),
    ]);
  });

  it("are refused where a certificate stands without its key, or with another one", () => {
    expect(problems({ DOCS_PLATFORM_CLIENT_CERT_FILE: cert })).toEqual([
      expect.stringContaining(
        "the setting clientCertFile is given without clientKeyFile: set DOCS_PLATFORM_CLIENT_KEY_FILE",
      ),
    ]);
    expect(problems({ DOCS_PLATFORM_CLIENT_KEY_FILE: key })).toEqual([
      expect.stringContaining("the setting clientKeyFile is given without clientCertFile"),
    ]);
    const other = file("other.key", trustedServer.key);
    expect(problems({ DOCS_PLATFORM_CLIENT_CERT_FILE: cert, DOCS_PLATFORM_CLIENT_KEY_FILE: other })).toEqual([
      expect.stringContaining("but its key does not belong to the certificate"),
    ]);
  });
});
