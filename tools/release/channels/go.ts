import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { goModule, tagGoModule } from "../../sdks/goTag";
import { packageSdk } from "../../sdks/packageSdk";
import { version } from "../plugins/release";
import type { Channel } from "./channel";
import { copyExample, runExample } from "./exampleProgram";
import type { Rehearsal } from "./rehearsal";
import { mustFail, mustSucceed } from "./steps";

export const go: Channel = {
  name: "Go modules",
  async rehearse(rehearsal) {
    const { proxy, addFile } = await publishModule(rehearsal);
    const program = copyExample(rehearsal, "go");
    const known = await mustSucceed(["go", "env", "GOMODCACHE", "GOPROXY"], { cwd: program });
    const [cache = "", upstream = ""] = known.trim().split("\n");
    const settings = (name: string) => ({
      GOFLAGS: "-modcacherw",
      // Each installation has its own cache, because Go does not fetch a version that is already in its cache.
      GOMODCACHE: rehearsal.folder(`go/${name}`),
      // The module is not checked against the checksum database, because the database contains only public modules.
      GONOSUMDB: goModule(),
      GOPROXY: [proxy, pathToFileURL(join(cache, "cache", "download")), upstream].join(","),
      GOWORK: "off",
    });
    const user = { cwd: program, env: settings("modules") };
    await mustSucceed(["go", "mod", "init", "docs"], user);
    const get = (wanted: string) => ["go", "get", `${goModule()}@${wanted}`];
    const absent = { ...user, env: { ...user.env, GOPROXY: String(proxy) } };
    const refused = [await mustFail("a version that is not there", /no such file/, get("v9.9.9"), absent)];
    await mustSucceed(get(`v${version}`), user);
    await mustSucceed(["go", "mod", "tidy"], user);
    await runExample(rehearsal, "go", program, user.env);
    addFile();
    const other = { ...user, env: settings("other-modules") };
    const download = ["go", "mod", "download", goModule()];
    refused.push(await mustFail("another module of a locked version", /checksum mismatch/, download, other));
    const listed = await mustSucceed(["go", "list", "-m", "-f", "{{.Version}}", goModule()], user);
    const client = (await mustSucceed(["go", "env", "GOVERSION"], user)).trim();
    return [{ client, version: listed.trim().replace(/^v/, ""), refused }];
  },
};

/** Makes the files of a module proxy as a real proxy does: from the tag of the release. */
async function publishModule(rehearsal: Rehearsal): Promise<{ proxy: URL; addFile(): void }> {
  const sources = await packageSdk("go", rehearsal.folder("go/sdks"));
  const repository = rehearsal.folder("go/repository");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository });
  git("init", "--quiet");
  git("config", "user.name", "release");
  git("config", "user.email", "release@example.com");
  git("commit", "--quiet", "--allow-empty", "-m", "Begin");
  const tag = tagGoModule(repository, sources, version);
  const folder = rehearsal.folder(`go/proxy/${goModule()}/@v`);
  const file = (ending: string) => join(folder, `v${version}.${ending}`);
  const place = tag.slice(0, tag.lastIndexOf("/"));
  const prefix = `${goModule()}@v${version}/`;
  const archive = (...more: string[]) =>
    git("archive", "--format=zip", `--prefix=${prefix}`, ...more, "--output", file("zip"), `${tag}:${place}`);
  archive();
  writeFileSync(file("mod"), git("show", `${tag}:${place}/go.mod`));
  writeFileSync(file("info"), JSON.stringify({ Version: `v${version}` }));
  writeFileSync(join(folder, "list"), `v${version}\n`);
  return {
    proxy: pathToFileURL(rehearsal.folder("go/proxy")),
    addFile: () => archive(`--add-virtual-file=${prefix}other.txt:other`),
  };
}
