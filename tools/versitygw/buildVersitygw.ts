import { buildGoTool } from "../goTools/buildGoTool";

/** Versity S3 Gateway, a real S3 server that keeps its objects in a folder. See {@link buildGoTool}. */
export function buildVersitygw(): Promise<string> {
  return buildGoTool({
    name: "versitygw",
    folder: __dirname,
    module: "github.com/versity/versitygw",
    package: "github.com/versity/versitygw/cmd/versitygw",
    variables: (version) => ({ "main.Version": version }),
    versionArguments: ["--version"],
    buildTime: "about 40 seconds",
  });
}
