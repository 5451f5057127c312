/** A tool that is no dependency in package.json. Only the folder `pins` contains its version. */
interface Row {
  /** The name of the executable. The name of the tool's folder in the cache begins with it. */
  readonly name: string;
  /** The folder with the files that pin the versions. It is below `lab` if `npm test` does not need the tool. */
  readonly pins: string;
  /** The module or package whose version is the tool's version. A ReleaseTool has a commit or a tag as its version. */
  readonly module: string;
}

export interface GoTool extends Row {
  readonly builtBy: "go";
  /** The Go package with the tool's `main` function. */
  readonly package: string;
  /** String variables that the linker sets. In a value, `$` is the version. `$1` and `$2` are its first two numbers. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A script in the module that must be in the same folder as the tool. */
  readonly script?: string;
  /** Other packages with a `main` function. Their executables must be in the same folder as the tool. */
  readonly companions?: readonly string[];
}

/** A tool in a virtual environment of Python. `pip install` fills the environment. */
export interface PythonTool extends Row {
  readonly builtBy: "python3";
}

/** A tool in packages that `npm ci` installs. */
export interface NpmTool extends Row {
  readonly builtBy: "npm";
  /** The path, in the tool's package, of the script that starts the tool. */
  readonly script: string;
}

/** The Pulumi CLI with its Node.js hosts. `npx` downloads the CLI. If the download fails, `go build` builds the CLI. */
export interface PulumiTool extends Row {
  readonly builtBy: "npx or go";
}

/** This project's own package at an earlier commit. */
export interface ReleaseTool extends Row {
  readonly builtBy: "git";
}

export type Tool = GoTool | PythonTool | NpmTool | PulumiTool | ReleaseTool;

/** @param path the path of the package in its module. Undefined: the source is in the folder of the pins. */
function go<Name extends string>(
  name: Name,
  pins: string,
  module: string,
  path: string | undefined,
  variables?: Readonly<Record<string, string>>,
  more?: Pick<GoTool, "script" | "companions">,
): GoTool & { name: Name } {
  const found = path === undefined ? "." : [module, path].filter((part) => part !== "").join("/");
  return { builtBy: "go", name, pins, module, package: found, ...(variables && { variables }), ...more };
}

const ownVersion = { "main.version": "$" };
const cniPlugins = "github.com/containernetworking/plugins";
const kubernetesVersion = Object.fromEntries(
  Object.entries({ gitVersion: "v$", gitMajor: "$1", gitMinor: "$2" }).map(([name, value]) => [
    `k8s.io/component-base/version.${name}`,
    value,
  ]),
);
/** The version of Kubernetes that Helm assumes if there is no cluster. Helm's own releases set the same version. */
const kubernetesOfHelm3 = Object.fromEntries(
  ["chartutil", "lint/rules"].flatMap((path) => [
    [`helm.sh/helm/v3/pkg/${path}.k8sVersionMajor`, "1"],
    [`helm.sh/helm/v3/pkg/${path}.k8sVersionMinor`, "33"],
  ]),
);
const kubernetes = <Name extends string>(name: Name) =>
  go(name, "tools/pins/kubernetes", "k8s.io/kubernetes", `cmd/${name}`, kubernetesVersion);

/** In the order of the builds: Pulumi first, because most tests need it, and then the longest builds. */
export const toolsOfTests = [
  { name: "pulumi", pins: "tools/pins/pulumi", module: "github.com/pulumi/pulumi/pkg/v3", builtBy: "npx or go" },
  kubernetes("kube-apiserver"),
  kubernetes("kube-controller-manager"),
  go("pulumi-sdk-generator", "tools/pins/sdk-generator", "github.com/pulumi/pulumi/pkg/v3", undefined, ownVersion),
  go("helm", "tools/pins/helm", "helm.sh/helm/v4", "cmd/helm", { "helm.sh/helm/v4/internal/version.version": "v$" }),
  { name: "last-release", pins: "tools/pins/last-release", module: "pulumi-docs-platform", builtBy: "git" },
  { name: "azurite", pins: "tools/pins/azurite", module: "azurite", builtBy: "npm", script: "dist/src/blob/main.js" },
  go("registry", "tools/pins/registry", "github.com/distribution/distribution/v3", undefined, {
    "github.com/distribution/distribution/v3/version.version": "$",
  }),
  go("versitygw", "tools/pins/versitygw", "github.com/versity/versitygw", "cmd/versitygw", { "main.Version": "$" }),
  go("pulumi-language-yaml", "tools/pins/yaml-host", "github.com/pulumi/pulumi-yaml", "cmd/pulumi-language-yaml", {
    "github.com/pulumi/pulumi-yaml/pkg/version.Version": "v$",
  }),
  { name: "pulumi-python", pins: "tools/pins/python", module: "pulumi", builtBy: "python3" },
  go("controller-gen", "tools/pins/gitops", "sigs.k8s.io/controller-tools", "cmd/controller-gen", {
    "sigs.k8s.io/controller-tools/pkg/version.version": "v$",
  }),
  go("crane", "tools/pins/crane", "github.com/google/go-containerregistry", "cmd/crane", {
    "github.com/google/go-containerregistry/cmd/crane/cmd.Version": "$",
  }),
  go("oras", "tools/pins/oras", "oras.land/oras", "cmd/oras", { "oras.land/oras/internal/version.Version": "$" }),
  go("etcd", "tools/pins/etcd", "go.etcd.io/etcd/server/v3", undefined),
  { name: "schemathesis", pins: "tools/pins/schemathesis", module: "schemathesis", builtBy: "python3" },
  go("actionlint", "tools/pins/actionlint", "github.com/rhysd/actionlint", "cmd/actionlint", {
    "github.com/rhysd/actionlint.version": "$",
  }),
  go("forward-proxy", "tools/pins/forward-proxy", "github.com/elazarl/goproxy", undefined, ownVersion),
] as const satisfies readonly Tool[];

/** All tools. Tools that are not in `toolsOfTests` are for `npm run campaign` and other commands. */
export const catalogue = [
  ...toolsOfTests,
  go("pulumi-language-java", "tools/pins/java-host", "github.com/pulumi/pulumi-java/pkg", "cmd/pulumi-language-java", {
    "github.com/pulumi/pulumi-java/pkg/version.Version": "v$",
  }),
  go("tofu", "lab/pins/tofu", "github.com/opentofu/opentofu", "cmd/tofu", {
    "github.com/opentofu/opentofu/version.dev": "no",
  }),
  go("terraform", "lab/pins/terraform", "github.com/hashicorp/terraform", "", {
    "github.com/hashicorp/terraform/version.dev": "no",
  }),
  go("tfplugindocs", "lab/pins/tfplugindocs", "github.com/hashicorp/terraform-plugin-docs", "cmd/tfplugindocs"),
  go("toxiproxy-server", "lab/pins/toxiproxy", "github.com/Shopify/toxiproxy/v2", "cmd/server", {
    "github.com/Shopify/toxiproxy/v2.Version": "$",
  }),
  { name: "verdaccio", pins: "lab/pins/verdaccio", module: "verdaccio", builtBy: "npm", script: "bin/verdaccio" },
  go(
    "acceptance-test",
    "lab/pins/acceptance-test",
    "github.com/hashicorp/terraform-plugin-testing",
    undefined,
    ownVersion,
  ),
  go("external-secrets", "lab/pins/external-secrets", "github.com/external-secrets/external-secrets", ""),
  go("source-controller", "lab/pins/source-controller", "github.com/fluxcd/source-controller", ""),
  go("helm-controller", "lab/pins/helm-controller", "github.com/fluxcd/helm-controller", ""),
  go(
    "containerd",
    "lab/pins/containerd",
    "github.com/containerd/containerd/v2",
    "cmd/containerd",
    { "github.com/containerd/containerd/v2/version.Version": "v$" },
    { companions: ["github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2"] },
  ),
  go("bridge", "lab/pins/cni-plugins", cniPlugins, "plugins/main/bridge", undefined, {
    companions: [`${cniPlugins}/plugins/main/loopback`, `${cniPlugins}/plugins/ipam/host-local`],
  }),
  go("cosign", "lab/pins/cosign", "github.com/sigstore/cosign/v3", "cmd/cosign", {
    "sigs.k8s.io/release-utils/version.gitVersion": "v$",
  }),
  go("kyverno", "lab/pins/kyverno", "github.com/kyverno/kyverno", "cmd/cli/kubectl-kyverno", {
    "github.com/kyverno/kyverno/pkg/version.BuildVersion": "v$",
  }),
  go("helm3", "lab/pins/helm3", "helm.sh/helm/v3", "cmd/helm", {
    "helm.sh/helm/v3/internal/version.version": "v$",
    ...kubernetesOfHelm3,
  }),
  go("kubectl", "lab/pins/kubectl", "k8s.io/kubectl", undefined, kubernetesVersion),
  go("promtool", "lab/pins/promtool", "github.com/prometheus/prometheus", "cmd/promtool", {
    "github.com/prometheus/common/version.Version": "$",
  }),
  kubernetes("kubelet"),
  kubernetes("kube-scheduler"),
  kubernetes("kube-proxy"),
] as const satisfies readonly Tool[];

export type ToolName = (typeof catalogue)[number]["name"];
