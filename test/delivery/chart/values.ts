/** The signature in the link. */
export const signed = "0123456789abcdef".repeat(4);

/** The `staticExport` values that `helmValues` makes. */
export const link = {
  enabled: true,
  bundleUrl: `https://bundles.example.com/job-1.tar.gz?X-Amz-Date=20261121T100000Z&X-Amz-Signature=${signed}`,
  version: "job-1",
};

/** The values with a Secret that the user has made. */
export const existingSecret = {
  staticExport: { enabled: true, existingSecret: "my-link", version: "job-1", sha256: "AB".repeat(32) },
};

/** The `staticExport` values with a Secret that External Secrets writes. */
export const externalSecret = {
  enabled: true,
  externalSecret: { baseUrl: "https://api.example.com/", keySecret: "platform-key", refreshInterval: "225s" },
  version: "job-1",
};

/** The `staticExport` values that `helmValues` makes for a site in a registry. */
export const image = {
  enabled: true,
  image: `registry.example.com/team/docs@sha256:${"ab".repeat(32)}`,
  version: "job-1",
};

/** All values of the chart, each different from its default. */
export const everyValue = {
  staticExport: { ...link, version: "1.0", sha256: "cd".repeat(32), existingSecret: "" },
  replicas: 3,
  images: { fetch: "registry.example.com:5000/curl:1", server: `registry.example.com/nginx@sha256:${"ef".repeat(32)}` },
  imagePullSecrets: ["registry"],
  probePath: "/guides/start",
  servicePort: 8080,
  maxBundleBytes: 1_000_000,
  resources: { fetch: {}, server: { limits: { memory: "1Gi" } } },
};
