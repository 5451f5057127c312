import { isLoopback } from "../../support/hostNames";
import type { Scheme } from "../scheme";

export interface OciDestination {
  kind: "oci";
  /** The registry's host, with the port where one is given, in lower case. */
  registry: string;
  repository: string;
  /** Whether it is reached by plain http: a registry on this machine only. */
  plainHttp: boolean;
}

/** The names that the distribution specification allows; a tag or a digest follows them in a reference. */
const repositoryName = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/;

export const ociScheme = {
  example: "oci://registry.example.com/repository",
  holds: "images",
  credentials: "those of `docker login` are used",
  parse: ({ url, steps }) => {
    const registry = url.host.toLowerCase();
    if (!/^([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?$/.test(registry)) {
      return { problem: "names no registry: give its host, with a port where it needs one" };
    }
    if (steps.some((step) => /[:@]/.test(step))) {
      return { problem: "has a tag or a digest: give the repository alone, the mirror chooses the tag" };
    }
    const repository = steps.join("/");
    if (steps.length === 0 || repository.length > 255 || !steps.every((step) => repositoryName.test(step))) {
      return {
        problem: "names no repository: lower-case letters and digits, with single . _ - and slashes between them",
      };
    }
    const query = [...url.searchParams];
    if (query.length > 1 || query.some(([name, value]) => name !== "plainHttp" || !/^(true|false)$/.test(value))) {
      return { problem: "takes the parameter plainHttp=true and no others, and no credentials" };
    }
    const plainHttp = url.searchParams.get("plainHttp") === "true";
    return plainHttp && !isLoopback(registry.replace(/:\d+$/, ""))
      ? { problem: "has plainHttp, which is for a registry at a loopback address only: a registry serves https" }
      : { kind: "oci", registry, repository, plainHttp };
  },
} satisfies Scheme<OciDestination>;
