import { startPlatform } from "../../simulator/index";

export interface QuickstartPlatform {
  baseUrl: string;
  apiKey: string;
  domain: string;
  /** Returns the requests so far, as `METHOD /path`. Only the embedded platform reports them. */
  requests?(): string[];
  close(): Promise<void>;
}

/** In milliseconds: long enough for an unchanged `up`, and short enough to wait until the link expires. */
const embeddedLinkLife = 20_000;

const variables = ["DOCS_PLATFORM_BASE_URL", "DOCS_PLATFORM_API_KEY", "DOCS_PLATFORM_DOMAIN"] as const;

/** Throws if the environment sets only some of the variables. Default: the embedded platform. */
export async function chooseTarget(environment: NodeJS.ProcessEnv): Promise<QuickstartPlatform> {
  const [baseUrl, apiKey, domain] = variables.map((name) => environment[name]?.trim() || undefined);
  if (baseUrl !== undefined && apiKey !== undefined && domain !== undefined) {
    return { baseUrl, apiKey, domain, close: async () => {} };
  }
  const missing = variables.filter((name) => !environment[name]?.trim());
  if (missing.length < variables.length) {
    throw new Error(
      `set ${missing.join(" and ")} as well, to run against your own platform; or none of ${variables.join(", ")}, to run against the embedded one. Nothing was started.`,
    );
  }
  const platform = await startPlatform({ jobTime: 6_000, queueTime: 1_000, linkLife: embeddedLinkLife });
  const calls = () => platform.requests.filter(({ operation }) => operation !== "download");
  return {
    baseUrl: platform.baseUrl,
    apiKey: platform.apiKey,
    domain: "docs.example.com",
    requests: () => calls().map(({ method, path }) => `${method} ${path}`),
    close: () => platform.close(),
  };
}
