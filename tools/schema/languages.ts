/** Each SDK's name has the usual form of its registry, and this project can register the name. */
export function languagesOf(repository: string) {
  const readme = `Resources of a documentation hosting platform, for Pulumi. See ${repository}#readme.`;
  return {
    nodejs: {
      packageName: "pulumi-docs-platform-sdk",
      packageDescription: "Pulumi SDK of the docs-platform plugin.",
      readme,
      respectSchemaVersion: true,
    },
    python: { packageName: "pulumi_docs_platform", readme, respectSchemaVersion: true, pyproject: { enabled: true } },
    go: {
      importBasePath: `${repository.replace("https://", "")}/sdk/go/docsplatform`,
      rootPackageName: "docsplatform",
      generateResourceContainerTypes: true,
      respectSchemaVersion: true,
    },
    java: { basePackage: "io.github.pulumidocsplatform" },
  };
}
