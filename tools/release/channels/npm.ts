import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pulumiEnvironment } from "../../engines/pulumiDriver";
import { projectRoot } from "../../projectRoot";
import { version } from "../plugins/release";
import type { Channel } from "./channel";
import { startNpmRegistry } from "./npmRegistry";
import { changeByte, mustFail, mustSucceed } from "./steps";

const name = "pulumi-docs-platform";

export const npm: Channel = {
  name: "npm",
  async rehearse(rehearsal) {
    const packed = rehearsal.folder("npm/packed");
    await mustSucceed(["npm", "pack", "--ignore-scripts", "--pack-destination", packed], { cwd: projectRoot });
    const tarball = join(packed, readdirSync(packed)[0] ?? "");
    const { environment, owner, storage } = await startNpmRegistry(rehearsal);
    const place = { cwd: packed, env: environment };

    const publish = ["npm", "publish", "--access", "public", "--ignore-scripts", tarball];
    await mustSucceed([...publish, "--dry-run"], place);
    const refused = [await mustFail("a publication without the owner's rights", /ENEEDAUTH/, publish, place)];
    await mustSucceed([...publish, owner], place);
    refused.push(
      await mustFail("a second publication of the version", /cannot publish over/i, [...publish, owner], place),
    );

    // A user runs the same commands: a new stack in an empty folder, with packages that are installed by their names.
    const stack = rehearsal.folder("npm/stack");
    const pulumi = await pulumiEnvironment(rehearsal.folder("npm/home"));
    const user = { cwd: stack, env: { ...environment, ...pulumi, ...rehearsal.settings } };
    await mustSucceed(["pulumi", "new", join(projectRoot, "examples", "quickstart"), "--yes"], user);
    const { platform } = rehearsal;
    platform.resetCounts();
    const up = ["pulumi", "up", "--yes", "--skip-preview"];
    await mustSucceed(up, user);
    await mustSucceed([...up, "--expect-no-changes"], user);
    if (platform.starts !== 1) {
      throw new Error(`the package started ${platform.starts} exports, and not one`);
    }
    const installed = JSON.parse(readFileSync(join(stack, "node_modules", name, "package.json"), "utf8"));

    changeByte(join(storage, name, `${name}-${version}.tgz`));
    const empty = { ...place, env: { ...environment, NPM_CONFIG_CACHE: rehearsal.folder("npm/empty-cache") } };
    refused.push(await mustFail("a tarball with one byte changed", /EINTEGRITY/, ["npm", "pack", name], empty));
    const [npmVersion, pulumiVersion] = [
      await mustSucceed(["npm", "--version"], user),
      await mustSucceed(["pulumi", "version"], user),
    ].map((text) => text.trim());
    return [{ client: `npm ${npmVersion}, pulumi ${pulumiVersion}`, version: installed.version, refused }];
  },
};
