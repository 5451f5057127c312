import { buildGoTool } from "../goTools/buildGoTool";

/** actionlint, the linter of GitHub Actions workflows. See {@link buildGoTool}. */
export function buildActionlint(): Promise<string> {
  return buildGoTool({
    name: "actionlint",
    folder: __dirname,
    module: "github.com/rhysd/actionlint",
    package: "github.com/rhysd/actionlint/cmd/actionlint",
    variables: (version) => ({ "github.com/rhysd/actionlint.version": version }),
    versionArguments: ["-version"],
    buildTime: "about 10 seconds",
  });
}
