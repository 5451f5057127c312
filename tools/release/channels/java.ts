import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageSdk } from "../../sdks/packageSdk";
import { getTool } from "../../toolchain/getTool";
import { version } from "../plugins/release";
import type { Channel } from "./channel";
import { copyExample, runExample } from "./exampleProgram";
import { changeByte, mustFail, mustSucceed } from "./steps";

export const java: Channel = {
  name: "a repository of Maven",
  async rehearse(rehearsal) {
    const repository = await packageSdk("java", rehearsal.folder("java/sdks"));
    const program = copyExample(rehearsal, "java");
    const env = {
      // The rehearsal has its own cache, because Maven does not fetch a version that is already in its cache.
      MAVEN_OPTS: `-Dmaven.repo.local=${rehearsal.folder("java/cache")}`,
      PATH: `${dirname(await getTool("pulumi-language-java"))}${delimiter}${process.env.PATH}`,
      SDKS: pathToFileURL(repository).href,
    };
    const compile = ["mvn", "--batch-mode", "--quiet", "compile"];
    const jar = join(
      repository,
      "io/github/pulumi-docs-platform/docs-platform",
      version,
      `docs-platform-${version}.jar`,
    );
    const right = readFileSync(jar);
    changeByte(jar);
    const user = { cwd: program, env };
    const refused = [await mustFail("a jar with one byte changed", /Checksum validation failed/, compile, user)];
    writeFileSync(jar, right);
    const other = copyExample(rehearsal, "java", "other");
    const project = readFileSync(join(other, "pom.xml"), "utf8");
    writeFileSync(join(other, "pom.xml"), project.replace(`<version>${version}<`, "<version>9.9.9<"));
    const absent = { ...user, cwd: other };
    refused.push(await mustFail("a version that is not there", /Could not find artifact/, compile, absent));
    await mustSucceed([...compile, "--update-snapshots"], user);
    await runExample(rehearsal, "java", program, env);
    const [client = ""] = /Maven [\d.]+/.exec(await mustSucceed(["mvn", "--version"], user)) ?? [];
    return [{ client: `${client}, Java`, version, refused }];
  },
};
