import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../../../tools/projectRoot";
import { flagsOfExecutables } from "../../../../tools/release/plugins/buildExecutable";
import { nodeBinary } from "../../../../tools/release/plugins/nodeBinary";
import { ownTarget } from "../../../../tools/release/plugins/target";
import { authority, trustedServer, untrusted } from "../../../support/certificate";
import { folderOfFile } from "../../../support/temporaryFolder";

const folder = folderOfFile();

/** This program runs in a new process, because Node.js reads NODE_EXTRA_CA_CERTS only once. */
const script = `
const https = require("node:https");
const { loadSecureContext } = require("./provider/network/authorities.ts");
const caFile = process.env.CA_FILE;
const context = loadSecureContext({ caFile, clientCertFile: undefined, clientKeyFile: undefined });
const servers = JSON.parse(process.env.SERVERS);
const ask = (options) => new Promise((resolve) => {
  const server = https.createServer(options, (_, response) => response.end()).listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    const request = https.get({ host: "127.0.0.1", port, agent: false, secureContext: context }, () => resolve("trusted"));
    request.on("error", (error) => resolve(error.code));
  });
  server.unref();
});
Promise.all(servers.map(ask)).then((ends) => { console.log(JSON.stringify(ends)); process.exit(); });
`;

it("caFile adds to what Node.js trusts, also by NODE_EXTRA_CA_CERTS, and takes nothing away", () => {
  const [caFile, extra] = [join(folder, "ca.pem"), join(folder, "extra.pem")];
  writeFileSync(caFile, authority);
  writeFileSync(extra, untrusted.cert);
  const run = (environment: NodeJS.ProcessEnv) =>
    JSON.parse(
      execFileSync(process.execPath, ["--require", "tsx/cjs", "-e", script], {
        cwd: projectRoot,
        encoding: "utf8",
        env: { ...process.env, SERVERS: JSON.stringify([trustedServer, untrusted]), ...environment },
      }),
    );
  expect(run({ CA_FILE: caFile, NODE_EXTRA_CA_CERTS: extra })).toEqual(["trusted", "trusted"]);
  expect(run({ CA_FILE: caFile, NODE_EXTRA_CA_CERTS: undefined })).toEqual(["trusted", "DEPTH_ZERO_SELF_SIGNED_CERT"]);
}, 60_000);

it("an executable, which starts without authorities, then trusts those that its Node.js by itself trusts", async () => {
  const { executable } = await nodeBinary(ownTarget());
  const [system, extra] = [join(folder, "system.pem"), join(folder, "more.pem")];
  writeFileSync(system, authority);
  writeFileSync(extra, untrusted.cert);
  // Certificates are compared without repetitions, because Node.js may list a certificate of the system twice.
  const all = `const pems = require("node:tls").getCACertificates("default").map((pem) => pem.replaceAll("\\n", ""));
    JSON.stringify([...new Set(pems)].sort())`;
  const started = (flags: readonly string[], program: string, environment: NodeJS.ProcessEnv) => {
    const env = { ...process.env, SSL_CERT_DIR: undefined, SSL_CERT_FILE: system, ...environment };
    const options = { cwd: projectRoot, encoding: "utf8", env, maxBuffer: 8 * 1024 * 1024 } as const;
    return execFileSync(executable, [...flags, "--require", "tsx/cjs", "-p", program], options);
  };
  const restored = `require("./provider/network/authorities.ts").trustUsualNodeAuthorities(process.env); ${all}`;
  for (const NODE_EXTRA_CA_CERTS of [undefined, extra]) {
    for (const NODE_USE_SYSTEM_CA of [undefined, "1", "0"]) {
      const environment = { NODE_EXTRA_CA_CERTS, NODE_USE_SYSTEM_CA };
      const usual = started([], all, environment);
      expect(JSON.parse(usual).length).toBeGreaterThan(100);
      expect(started(flagsOfExecutables, restored, environment) === usual, JSON.stringify(environment)).toBe(true);
    }
  }
}, 120_000);
