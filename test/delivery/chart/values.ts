export const signed = "0123456789abcdef".repeat(4);

export const link = {
  enabled: true,
  bundleUrl: `https://bundles.example.com/job-1.tar.gz?X-Amz-Date=20261121T100000Z&X-Amz-Signature=${signed}`,
  version: "job-1",
};

export const existingSecret = {
  staticExport: { enabled: true, existingSecret: "my-link", version: "job-1", sha256: "AB".repeat(32) },
};

export const externalSecret = {
  enabled: true,
  externalSecret: { baseUrl: "https://api.example.com/", keySecret: "platform-key", refreshInterval: "225s" },
  version: "job-1",
};

export const image = {
  enabled: true,
  image: `registry.example.com/team/docs@sha256:${"ab".repeat(32)}`,
  version: "job-1",
};

/** Nearly every value of the chart. Most of them differ from the default. */
export const everyValue = {
  enabled: true,
  global: { company: "example" },
  staticExport: { ...link, version: "1.0", sha256: "cd".repeat(32), existingSecret: "" },
  basePath: "/team/docs",
  outerFolder: "remove",
  probePath: "/guides/start",
  replicas: 3,
  disruptionBudget: { maxUnavailable: 1 },
  images: { fetch: "registry.example.com:5000/curl:1", server: `registry.example.com/nginx@sha256:${"ef".repeat(32)}` },
  imagePullPolicy: "Always",
  imagePullSecrets: ["registry"],
  servicePort: 8080,
  ipv6: false,
  ingress: {
    enabled: true,
    className: "nginx",
    hosts: ["docs.example.com", "help.example.com"],
    tlsSecret: "docs-tls",
    annotations: { "cert-manager.io/cluster-issuer": "letsencrypt" },
  },
  httpRoute: {
    enabled: true,
    parentRefs: [{ name: "public", namespace: "gateways" }],
    hosts: ["*.example.com"],
    annotations: { owner: "docs" },
  },
  maxBundleBytes: 1_000_000,
  resources: { fetch: {}, server: { limits: { memory: "1Gi" } } },
  proxy: { url: "http://proxy.example.com:3128", except: "localhost,.example.com" },
  certificateAuthority: { configMap: "company-authorities", key: "company.pem" },
  fullnameOverride: "product-docs",
  podAnnotations: { "example.com/scrape": "false" },
  podLabels: { team: "docs", "app.kubernetes.io/name": "not-this-one" },
  serviceAccountName: "docs",
  priorityClassName: "low",
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "docs", operator: "Exists" }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a", "b"] }] }],
      },
    },
  },
  extraVolumes: [{ name: "banner", configMap: { name: "banner" } }],
  extraVolumeMounts: [{ name: "banner", mountPath: "/banner", readOnly: true }],
};

export const chartForms: [string, object][] = [
  ["a link", { staticExport: link }],
  ["a Secret that is there", existingSecret],
  ["a Secret of External Secrets", { staticExport: externalSecret }],
  ["an image", { staticExport: image }],
  ["every value", everyValue],
  ["every value and an image", { ...everyValue, staticExport: image }],
];
