import { isLoopback } from "../../support/hostNames";
import type { DestinationScheme } from "../scheme";

export interface OciDestination {
  kind: "oci";
  registry: string;
  repository: string;
  /** Plain http is allowed only for a registry on this machine. */
  plainHttp: boolean;
}

/** A repository's name by the distribution specification, without a tag or a digest. */
const repositoryName = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/;

export const ociScheme: DestinationScheme<OciDestination> = {
  example: "oci://registry.example.com/repository",
  holds: "images",
  credentials: "this provider uses those of `docker login`",
  parse: ({ url, steps }) => {
    const registry = url.host.toLowerCase();
    if (!/^([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?$/.test(registry)) {
      return { problem: "names no registry: give its host, and its port if it needs one" };
    }
    if (steps.some((step) => /[:@]/.test(step))) {
      return { problem: "has a tag or a digest: give only the repository, the mirror chooses the tag" };
    }
    const repository = steps.join("/");
    if (steps.length === 0 || repository.length > 255 || !steps.every((step) => repositoryName.test(step))) {
      return {
        problem: "names no repository: lower-case letters and digits, with single . _ - and slashes between them",
      };
    }
    const query = [...url.searchParams];
    if (query.length > 1 || query.some(([name, value]) => name !== "plainHttp" || !/^(true|false)$/.test(value))) {
      return { problem: "accepts only the parameter plainHttp=true, and no credentials" };
    }
    const plainHttp = url.searchParams.get("plainHttp") === "true";
    return plainHttp && !isLoopback(registry.replace(/:\d+$/, ""))
      ? { problem: "has plainHttp, which is allowed only for a registry at a loopback address: use https" }
      : { kind: "oci", registry, repository, plainHttp };
  },
};
