import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { findProxyForAddress } from "../../../../provider/network/proxy";
import { findAzureAccess } from "../../../../provider/storage/azblob/destination";
import { readToken } from "../../../../provider/storage/oci/authorization";
import { findRegistryCredentials } from "../../../../provider/storage/oci/credentials";
import { printable } from "../../../../provider/support/printable";
import { redact, registerLinkSecrets } from "../../../../provider/support/redact";
import { clientFor, clientOperations, goodBody, never } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";
import { configureDocker } from "../../../support/mirror/configureDocker";
import { openedStore } from "../../../support/mirror/objectPlaces";
import { encodings, shownParts } from "../../../support/secretParts";
import { temporaryFolder } from "../../../support/temporaryFolder";

afterEach(() => vi.unstubAllEnvs());

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Each function makes the provider use a secret, as in a run. */
const uses: Record<string, (secret: string) => unknown> = {
  "the key": async (secret) => {
    const file = join(temporaryFolder(), "key");
    writeFileSync(file, secret);
    const { url } = await serve(answer(200, goodBody));
    await clientOperations.getExport(clientFor(url, { apiKey: { file, from: "the test" } }));
  },
  "a header of the platform's gateway": (secret) => clientFor("http://127.0.0.1:9", { headers: [["X-Token", secret]] }),
  "a link's signature": async (secret) => {
    const bundleUrl = `https://files.example.com/a.tgz?se=1&sig=${encodeURIComponent(secret)}`;
    const { url } = await serve(answer(200, { ...goodBody, bundleUrl }));
    await clientOperations.createBundle(clientFor(url));
  },
  "a proxy's password": (secret) =>
    findProxyForAddress(new URL("https://a.test"), {
      HTTPS_PROXY: `http://me:${encodeURIComponent(secret)}@proxy.test`,
    }),
  "a registry's password": async (secret) => {
    configureDocker({ auths: { "registry.test": { auth: base64(`robot:${secret}`) } } });
    await findRegistryCredentials({ registry: "registry.test", repository: "docs" }, never);
  },
  "a registry's refresh token": async (secret) => {
    configureDocker({ auths: { "registry.test": { identitytoken: secret } } });
    await findRegistryCredentials({ registry: "registry.test", repository: "docs" }, never);
  },
  "a registry's access token": (secret) =>
    readToken({ status: 200, headers: {}, body: Buffer.from(JSON.stringify({ token: secret })) }),
  "an Azure account's key": (secret) => findAzureAccess(azure, { AZURE_STORAGE_KEY: secret }),
  "a shared access signature": (secret) =>
    findAzureAccess(azure, { AZURE_STORAGE_SAS_TOKEN: `sp=racwdl&sig=${encodeURIComponent(secret)}` }),
  "an S3 secret and its session token": async (secret) => {
    const { url } = await serve(answer(403, ""));
    vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", secret.slice(0, 32));
    vi.stubEnv("AWS_SESSION_TOKEN", secret.slice(32));
    await openedStore(`s3://docs?region=eu-west-1&endpoint=${url}`)
      .stat(["a"])
      .catch(() => {});
  },
};
const azure = { kind: "azblob", account: "docs", container: "site", prefix: "", endpoint: undefined } as const;

it.each(Object.keys(uses))("no text shows a part of a secret that this provider uses: %s", async (name) => {
  const secret = createHash("sha512").update(name).digest("base64");
  await uses[name]?.(secret);
  for (const encode of Object.values(encodings)) {
    const text = encode(secret);
    for (const shown of [text, text.slice(3), text.slice(0, -9), `GET /a?b=${text}&c`].map((each) => printable(each))) {
      expect(shownParts(secret, shown)).toEqual([]);
    }
  }
});

it("the signatures of the newest hundred links are hidden, and old ones are forgotten, so that memory stays bounded", () => {
  const signature = (n: number) => createHash("sha256").update(`link ${n}`).digest("hex");
  const links = 2_000;
  for (let n = 0; n < links; n++) {
    registerLinkSecrets(new URL(`https://files.example.com/a.tgz?se=1&sig=${signature(n)}`));
  }
  const shown = (n: number) => redact(signature(n)).includes(signature(n));
  expect(Array.from({ length: 100 }, (_, n) => shown(links - 1 - n))).not.toContain(true);
  expect(shown(0)).toBe(true);
});
