import { copyFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { goEnvironment } from "../goEnvironment";
import { buildGoTool } from "../goTools/buildGoTool";
import type { GoTool } from "../goTools/goTool";
import { isExecutable } from "../pulumi/executables";
import { runTool } from "../pulumi/runTool";

/** A language whose host is not in the folder of the Pulumi command line. */
export type Language = "yaml" | "python" | "go";

const versionVariable = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";

function ofTheSdk(name: string, path: string): GoTool {
  return {
    name,
    folder: join(__dirname, "sdk"),
    module: "github.com/pulumi/pulumi/sdk/v3",
    package: `github.com/pulumi/pulumi/sdk/v3/${path}`,
    variables: (version) => ({ [versionVariable]: `v${version}` }),
    buildTime: "about ten seconds",
  };
}

const hosts: Readonly<Record<Language, GoTool>> = {
  yaml: {
    name: "pulumi-language-yaml",
    folder: join(__dirname, "yaml"),
    module: "github.com/pulumi/pulumi-yaml",
    package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    variables: (version) => ({ "github.com/pulumi/pulumi-yaml/pkg/version.Version": `v${version}` }),
    buildTime: "about 40 seconds",
  },
  python: ofTheSdk("pulumi-language-python", "python/cmd/pulumi-language-python"),
  go: ofTheSdk("pulumi-language-go", "go/pulumi-language-go"),
};

/**
 * The host of a language, of the version that its go.mod pins.
 * @returns the folder that holds it, to be put on PATH.
 */
export async function buildLanguageHost(language: Language): Promise<string> {
  const host = await buildGoTool(hosts[language]);
  if (language === "python") {
    await addPythonScript(dirname(host));
  }
  return dirname(host);
}

/** The Python host runs programs by a script that its module holds, and looks for it beside itself. */
async function addPythonScript(folder: string): Promise<void> {
  const script = join(folder, "pulumi-language-python-exec");
  if (!isExecutable(script)) {
    const { folder: cwd, module } = hosts.python;
    const listed = await runTool("go", ["list", "-m", "-f", "{{.Dir}}", module], { cwd, env: goEnvironment(folder) });
    if (!listed.ok) {
      throw new Error(`where the Go module ${module} lies is not told: ${listed.problem}`);
    }
    await copyFile(join(listed.stdout.trim(), "python", "cmd", basename(script)), script);
  }
}
