/** The things that the commands of a page need. The campaign runs pages of the kinds `clone` and `example`. */
export type PageNeeds =
  /** A clone of this project. An embedded platform replaces the reader's platform. */
  | { kind: "clone" }
  /** The commands of `examples/README.md` run first, in the same shell. */
  | { kind: "example"; folder: string }
  /** Something that this machine lacks. The test then only parses the code blocks. */
  | { kind: "more"; what: string };

const example = (name: string): [page: string, needs: PageNeeds] => [
  `examples/${name}/README.md`,
  { kind: "example", folder: `examples/${name}` },
];
const more = (what: string): PageNeeds => ({ kind: "more", what });

export const pageNeeds: Readonly<Record<string, PageNeeds>> = {
  "README.md": { kind: "clone" },
  "docs/getting-started.md": { kind: "clone" },
  "docs/terraform.md": { kind: "clone" },
  ...Object.fromEntries(
    [
      "agentFollowUp",
      "airGap",
      "automationApi",
      "component",
      "featureGate",
      "pinnedEnvironments",
      "quickstart",
      "severalSites",
      "stackTest",
    ].map(example),
  ),
  "docs/guides/preview-environments.md": { kind: "example", folder: "examples/quickstart" },
  "charts/docs-site/README.md": more("a cluster"),
  "CONTRIBUTING.md": more("the whole suite, and a bug that the reader writes"),
  "docs/company.md": more("a keyring and a company's proxy"),
  "docs/configuration.md": more("a key that the reader types"),
  "docs/guides/adopting.md": more("a file with the id of a job"),
  "docs/guides/air-gap.md": more("a registry and a disk"),
  "docs/guides/ci.md": more("a bucket and a pipeline"),
  "docs/guides/content-changes.md": more("a repository on GitHub"),
  "docs/guides/delivery.md": more("a cluster, or an Azure account"),
  "docs/guides/external-secrets.md": more("a cluster"),
  "docs/guides/languages.md": more("a server of archives, and other languages"),
  "docs/guides/pinning.md": more("two stacks"),
  "docs/guides/signed-images.md": more("a registry and cosign"),
  "docs/guides/testing.md": more("a registry of packages"),
  "docs/guides/verify-release.md": more("a release, which release:check makes"),
  "docs/installation-configuration.md": more("a release"),
  "docs/journal.md": more("a bucket"),
  "docs/operations.md": more("a stack and a collector of metrics"),
  "examples/README.md": more("a terminal that stays open; each example runs its second block"),
  "examples/helm/README.md": more("a cluster"),
  "examples/kubernetesJobs/README.md": more("a cluster"),
  "examples/pipeline/README.md": more("a repository on GitHub"),
  "examples/scheduledRenewal/README.md": more("a cluster and a registry"),
};
