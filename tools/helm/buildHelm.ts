import { buildGoTool } from "../goTools/buildGoTool";

/** The command line of Helm. See {@link buildGoTool}. */
export function buildHelm(): Promise<string> {
  return buildGoTool({
    name: "helm",
    folder: __dirname,
    module: "helm.sh/helm/v4",
    package: "helm.sh/helm/v4/cmd/helm",
    variables: (version) => ({ "helm.sh/helm/v4/internal/version.version": `v${version}` }),
    versionArguments: ["version", "--template", "{{.Version}}"],
    buildTime: "about two minutes",
  });
}
