import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { packageSdk } from "../../sdks/packageSdk";
import type { Channel } from "./channel";
import { copyExample, runExample } from "./exampleProgram";
import type { Rehearsal } from "./rehearsal";
import { changeByte, mustFail, mustSucceed } from "./steps";

const sdk = "pulumi_docs_platform";

export const python: Channel = {
  name: "PyPI",
  async rehearse(rehearsal) {
    const program = copyExample(rehearsal, "python");
    const venv = rehearsal.folder("python/venv");
    await mustSucceed(["python3", "-m", "venv", venv], { cwd: program });
    const pip = [join(venv, "bin", "python"), "-m", "pip"];
    const files = rehearsal.folder("python/files");
    const made = await packageSdk("python", rehearsal.folder("python/sdks"));
    const wheel = join(files, basename(made));
    copyFileSync(made, wheel);
    // The program installs all packages from the local index, so the index also needs the SDK's dependencies.
    const download = ["download", "--dest", files, "--find-links", files, "--requirement", "requirements.txt"];
    await mustSucceed([...pip, ...download], { cwd: program });
    const host = await serveIndex(rehearsal, files);
    const env = {
      PIP_CERT: rehearsal.certificate,
      // These variables of the user would take precedence over PIP_CERT.
      CURL_CA_BUNDLE: undefined,
      REQUESTS_CA_BUNDLE: undefined,
      PIP_CONFIG_FILE: "/dev/null",
      PIP_EXTRA_INDEX_URL: undefined,
      PIP_FIND_LINKS: undefined,
      PIP_INDEX_URL: `https://${host}/simple/`,
      PIP_NO_CACHE_DIR: "1",
      PIP_RETRIES: "0",
    };
    const user = { cwd: program, env };
    const install = [...pip, "install", "--requirement", "requirements.txt"];
    const stranger = { ...user, env: { ...env, PIP_CERT: undefined } };
    const refused = [
      await mustFail("an index of an unknown authority", /CERTIFICATE_VERIFY_FAILED/, install, stranger),
      await mustFail(
        "a version that is not there",
        /No matching distribution/,
        [...pip, "install", `${sdk}==9.9.9`],
        user,
      ),
    ];
    const right = readFileSync(wheel);
    changeByte(wheel);
    refused.push(await mustFail("a wheel with one byte changed", /DO NOT MATCH THE HASHES/, install, user));
    writeFileSync(wheel, right);
    await mustSucceed(install, user);
    await runExample(rehearsal, "python", program, { PATH: join(venv, "bin"), VIRTUAL_ENV: venv });
    const shown = await mustSucceed([...pip, "show", sdk], user);
    const [, version = ""] = /^Version: (.*)$/m.exec(shown) ?? [];
    const [client = ""] = /^pip [\d.]+/.exec(await mustSucceed([...pip, "--version"], user)) ?? [];
    return [{ client: `${client}, Python`, version, refused }];
  },
};

/** Serves a folder of wheels as PyPI does (PEP 503). Returns the server's host and port. */
function serveIndex(rehearsal: Rehearsal, folder: string): Promise<string> {
  const links = readdirSync(folder).map((file) => {
    const sum = createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex");
    return { name: normalized(file.split("-")[0] ?? ""), link: `<a href="/files/${file}#sha256=${sum}">${file}</a>` };
  });
  return rehearsal.serve(({ url = "" }, response) => {
    const [, kind, asked = ""] = /^\/(simple|files)\/([^/]+)\/?$/.exec(decodeURIComponent(url)) ?? [];
    const file = join(folder, asked);
    if (kind === "files" && existsSync(file)) {
      response.end(readFileSync(file));
      return;
    }
    const found = links.filter(({ name }) => kind === "simple" && name === asked).map(({ link }) => link);
    response.writeHead(found.length > 0 ? 200 : 404, { "content-type": "text/html" }).end(found.join("\n"));
  });
}

/** Returns a package's name in the form that an index uses in addresses. */
function normalized(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}
