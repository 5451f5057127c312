/** How the generated SDKs are named, by the habits of each language. */
export const languages = {
  nodejs: { packageName: "@pulumi/docs-platform", respectSchemaVersion: true },
  python: { packageName: "pulumi_docs_platform", respectSchemaVersion: true, pyproject: { enabled: true } },
  go: {
    importBasePath: "pulumi-docs-platform/sdk/go/docsplatform",
    rootPackageName: "docsplatform",
    generateResourceContainerTypes: true,
    respectSchemaVersion: true,
  },
  csharp: { rootNamespace: "Pulumi", namespaces: { "docs-platform": "DocsPlatform" }, respectSchemaVersion: true },
};
