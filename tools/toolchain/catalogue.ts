/**
 * A tool that tests or commands run and that npm does not install. Its version is written only in its folder of pins. What needs
 * it follows from the calls of `getTool` (see neededBy.ts); tools/README.md shows it.
 */
interface Row {
  /** The name of the executable, and the beginning of the folder's name in the cache. */
  readonly name: string;
  /** The folder of its pins: below `lab` where only the laboratory needs it. */
  readonly pins: string;
  /** The Go module, or the package of Python or npm, whose version is the tool's version. */
  readonly module: string;
  /** Minutes of a build with empty caches on two cores. */
  readonly minutes: number;
  /** Only `npm run campaign` and commands need it: `npm test` does not build it. */
  readonly campaignOnly?: true;
}

/** Built by `go build`. */
export interface GoTool extends Row {
  readonly builtBy: "go";
  /** The package with the `main` function. */
  readonly package: string;
  /** String variables that the linker sets, above all the one with the version. */
  readonly variables?: (version: string) => Readonly<Record<string, string>>;
  /** With these arguments the tool prints its version. A tool that cannot do that proves by `-help` that it runs. */
  readonly versionArguments?: readonly string[];
  /** A script in the module that the tool expects beside itself. */
  readonly script?: string;
  /** Other packages with a `main` function whose executables the tool expects beside itself. */
  readonly companions?: readonly string[];
}

/** A virtual environment of Python, filled by `pip install`. */
export interface PythonTool extends Row {
  readonly builtBy: "python3";
  /** Arguments of `python -m` that end well when the environment works. */
  readonly proof: readonly string[];
}

/** Packages that `npm ci` installs. */
export interface NpmTool extends Row {
  readonly builtBy: "npm";
  /** The script that starts the tool, in its package. */
  readonly script: string;
}

/** The Pulumi CLI with its Node.js hosts: downloaded by `npx`, or else built by `go build`. */
export interface PulumiTool extends Row {
  readonly builtBy: "npx or go";
}

export type Tool = GoTool | PythonTool | NpmTool | PulumiTool;

const pulumiVersion = (version: string) => ({
  "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": `v${version}`,
});

/** The variables of Kubernetes that hold its version. */
function kubernetesVersion(version: string): Record<string, string> {
  const [major = "", minor = ""] = version.split(".");
  const variables = Object.entries({ gitVersion: `v${version}`, gitMajor: major, gitMinor: minor });
  return Object.fromEntries(variables.map(([name, value]) => [`k8s.io/component-base/version.${name}`, value]));
}

/**
 * All tools, in the order in which `npm test` builds them: Pulumi first, because most tests need it; then the longest
 * builds first. The controllers come after the API server, because they share most of its packages.
 */
export const catalogue = [
  {
    name: "pulumi",
    pins: "tools/pins/pulumi",
    module: "github.com/pulumi/pulumi/pkg/v3",
    builtBy: "npx or go",
    minutes: 4,
  },
  {
    name: "kube-apiserver",
    pins: "tools/pins/kubernetes",
    module: "k8s.io/kubernetes",
    builtBy: "go",
    package: "k8s.io/kubernetes/cmd/kube-apiserver",
    variables: kubernetesVersion,
    versionArguments: ["--version"],
    minutes: 6.5,
  },
  {
    name: "kube-controller-manager",
    pins: "tools/pins/kubernetes",
    module: "k8s.io/kubernetes",
    builtBy: "go",
    package: "k8s.io/kubernetes/cmd/kube-controller-manager",
    variables: kubernetesVersion,
    versionArguments: ["--version"],
    minutes: 1,
  },
  {
    name: "pulumi-sdk-generator",
    pins: "tools/pins/sdk-generator",
    module: "github.com/pulumi/pulumi/pkg/v3",
    builtBy: "go",
    package: ".",
    variables: (version: string) => ({ "main.version": version }),
    versionArguments: ["-version"],
    minutes: 3,
  },
  {
    name: "helm",
    pins: "tools/pins/helm",
    module: "helm.sh/helm/v4",
    builtBy: "go",
    package: "helm.sh/helm/v4/cmd/helm",
    variables: (version: string) => ({ "helm.sh/helm/v4/internal/version.version": `v${version}` }),
    versionArguments: ["version", "--template", "{{.Version}}"],
    minutes: 2,
  },
  {
    name: "azurite",
    pins: "tools/pins/azurite",
    module: "azurite",
    builtBy: "npm",
    script: "dist/src/blob/main.js",
    minutes: 1.4,
  },
  {
    name: "registry",
    pins: "tools/pins/registry",
    module: "github.com/distribution/distribution/v3",
    builtBy: "go",
    package: ".",
    variables: (version: string) => ({ "github.com/distribution/distribution/v3/version.version": version }),
    versionArguments: ["--version"],
    minutes: 1,
  },
  {
    name: "versitygw",
    pins: "tools/pins/versitygw",
    module: "github.com/versity/versitygw",
    builtBy: "go",
    package: "github.com/versity/versitygw/cmd/versitygw",
    variables: (version: string) => ({ "main.Version": version }),
    versionArguments: ["--version"],
    minutes: 0.7,
  },
  {
    name: "pulumi-language-yaml",
    pins: "tools/pins/yaml-host",
    module: "github.com/pulumi/pulumi-yaml",
    builtBy: "go",
    package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    variables: (version: string) => ({ "github.com/pulumi/pulumi-yaml/pkg/version.Version": `v${version}` }),
    minutes: 0.7,
  },
  {
    name: "otlp-receiver",
    pins: "tools/pins/otlp-receiver",
    module: "go.opentelemetry.io/collector/receiver/otlpreceiver",
    builtBy: "go",
    package: ".",
    variables: (version: string) => ({ "main.version": version }),
    versionArguments: ["-version"],
    minutes: 0.6,
  },
  {
    name: "pulumi-python",
    pins: "tools/pins/python",
    module: "pulumi",
    builtBy: "python3",
    proof: ["pip", "show", "pulumi"],
    minutes: 0.5,
  },
  {
    name: "controller-gen",
    pins: "tools/pins/gitops",
    module: "sigs.k8s.io/controller-tools",
    builtBy: "go",
    package: "sigs.k8s.io/controller-tools/cmd/controller-gen",
    variables: (version: string) => ({ "sigs.k8s.io/controller-tools/pkg/version.version": `v${version}` }),
    versionArguments: ["--version"],
    minutes: 0.5,
  },
  {
    name: "crane",
    pins: "tools/pins/crane",
    module: "github.com/google/go-containerregistry",
    builtBy: "go",
    package: "github.com/google/go-containerregistry/cmd/crane",
    variables: (version: string) => ({ "github.com/google/go-containerregistry/cmd/crane/cmd.Version": version }),
    versionArguments: ["version"],
    minutes: 0.5,
  },
  {
    name: "etcd",
    pins: "tools/pins/etcd",
    module: "go.etcd.io/etcd/server/v3",
    builtBy: "go",
    package: ".",
    versionArguments: ["--version"],
    minutes: 0.4,
  },
  {
    name: "schemathesis",
    pins: "tools/pins/schemathesis",
    module: "schemathesis",
    builtBy: "python3",
    proof: ["schemathesis.cli", "--version"],
    minutes: 0.4,
  },
  {
    name: "pulumi-language-python",
    pins: "tools/pins/language-hosts",
    module: "github.com/pulumi/pulumi/sdk/v3",
    builtBy: "go",
    package: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
    variables: pulumiVersion,
    script: "python/cmd/pulumi-language-python-exec",
    minutes: 0.2,
  },
  {
    name: "toxiproxy-server",
    pins: "tools/pins/toxiproxy",
    module: "github.com/Shopify/toxiproxy/v2",
    builtBy: "go",
    package: "github.com/Shopify/toxiproxy/v2/cmd/server",
    variables: (version: string) => ({ "github.com/Shopify/toxiproxy/v2.Version": version }),
    versionArguments: ["-version"],
    minutes: 0.2,
  },
  {
    name: "actionlint",
    pins: "tools/pins/actionlint",
    module: "github.com/rhysd/actionlint",
    builtBy: "go",
    package: "github.com/rhysd/actionlint/cmd/actionlint",
    variables: (version: string) => ({ "github.com/rhysd/actionlint.version": version }),
    versionArguments: ["-version"],
    minutes: 0.2,
  },
  {
    name: "forward-proxy",
    pins: "tools/pins/forward-proxy",
    module: "github.com/elazarl/goproxy",
    builtBy: "go",
    package: ".",
    variables: (version: string) => ({ "main.version": version }),
    versionArguments: ["-version"],
    minutes: 0.2,
  },
  {
    name: "kubeconform",
    pins: "tools/pins/kubeconform",
    module: "github.com/yannh/kubeconform",
    builtBy: "go",
    package: "github.com/yannh/kubeconform/cmd/kubeconform",
    variables: (version: string) => ({ "main.version": `v${version}` }),
    versionArguments: ["-v"],
    minutes: 0.1,
  },
  {
    name: "program-test",
    pins: "lab/pins/program-test",
    module: "github.com/pulumi/pulumi/pkg/v3",
    builtBy: "go",
    package: ".",
    minutes: 4,
    campaignOnly: true,
  },
  {
    name: "pulumi-language-go",
    pins: "tools/pins/language-hosts",
    module: "github.com/pulumi/pulumi/sdk/v3",
    builtBy: "go",
    package: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
    variables: pulumiVersion,
    minutes: 0.2,
    campaignOnly: true,
  },
  {
    name: "tofu",
    pins: "lab/pins/tofu",
    module: "github.com/opentofu/opentofu",
    builtBy: "go",
    package: "github.com/opentofu/opentofu/cmd/tofu",
    variables: () => ({ "github.com/opentofu/opentofu/version.dev": "no" }),
    versionArguments: ["version"],
    minutes: 8,
    campaignOnly: true,
  },
  {
    name: "terraform",
    pins: "lab/pins/terraform",
    module: "github.com/hashicorp/terraform",
    builtBy: "go",
    package: "github.com/hashicorp/terraform",
    variables: () => ({ "github.com/hashicorp/terraform/version.dev": "no" }),
    versionArguments: ["version"],
    minutes: 7,
    campaignOnly: true,
  },
  {
    name: "acceptance-test",
    pins: "lab/pins/acceptance-test",
    module: "github.com/hashicorp/terraform-plugin-testing",
    builtBy: "go",
    package: ".",
    variables: (version: string) => ({ "main.version": version }),
    versionArguments: ["-version"],
    minutes: 0.5,
    campaignOnly: true,
  },
  {
    name: "terraform-provider-restapi",
    pins: "lab/pins/restapi",
    module: "github.com/Mastercard/terraform-provider-restapi",
    builtBy: "go",
    package: ".",
    variables: (version: string) => ({ "main.version": version }),
    versionArguments: ["-version"],
    minutes: 0.3,
    campaignOnly: true,
  },
  {
    name: "containerd",
    pins: "lab/pins/containerd",
    module: "github.com/containerd/containerd/v2",
    builtBy: "go",
    package: "github.com/containerd/containerd/v2/cmd/containerd",
    companions: ["github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2"],
    variables: (version: string) => ({ "github.com/containerd/containerd/v2/version.Version": `v${version}` }),
    versionArguments: ["--version"],
    minutes: 1.5,
    campaignOnly: true,
  },
  {
    name: "bridge",
    pins: "lab/pins/cni-plugins",
    module: "github.com/containernetworking/plugins",
    builtBy: "go",
    package: "github.com/containernetworking/plugins/plugins/main/bridge",
    companions: [
      "github.com/containernetworking/plugins/plugins/main/loopback",
      "github.com/containernetworking/plugins/plugins/ipam/host-local",
    ],
    minutes: 0.1,
    campaignOnly: true,
  },
  {
    name: "kubelet",
    pins: "tools/pins/kubernetes",
    module: "k8s.io/kubernetes",
    builtBy: "go",
    package: "k8s.io/kubernetes/cmd/kubelet",
    variables: kubernetesVersion,
    versionArguments: ["--version"],
    minutes: 1.5,
    campaignOnly: true,
  },
  {
    name: "kube-scheduler",
    pins: "tools/pins/kubernetes",
    module: "k8s.io/kubernetes",
    builtBy: "go",
    package: "k8s.io/kubernetes/cmd/kube-scheduler",
    variables: kubernetesVersion,
    versionArguments: ["--version"],
    minutes: 0.3,
    campaignOnly: true,
  },
  {
    name: "kube-proxy",
    pins: "tools/pins/kubernetes",
    module: "k8s.io/kubernetes",
    builtBy: "go",
    package: "k8s.io/kubernetes/cmd/kube-proxy",
    variables: kubernetesVersion,
    versionArguments: ["--version"],
    minutes: 0.3,
    campaignOnly: true,
  },
] as const satisfies readonly Tool[];

export type ToolName = (typeof catalogue)[number]["name"];

/** The tools that `npm test` builds. */
export const toolsOfTests = catalogue.filter((tool) => !("campaignOnly" in tool));
