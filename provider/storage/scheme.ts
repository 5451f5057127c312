import { DestinationError } from "../support/errors";
import { isLoopback } from "../support/hostNames";
import { words } from "../support/words";
import type { AttemptLimits } from "./attempt";
import type { ImageStore } from "./imageStore";
import type { ObjectStore } from "./objectStore";
import type { Store } from "./store";

/**
 * The reason why an address is refused, such as "has a parameter twice". The reason shows no part of the address that
 * could be a secret.
 */
export interface AddressProblem {
  problem: string;
}

interface Address {
  url: URL;
  /** The decoded segments of the path. No segment is empty, `.` or `..`. */
  steps: readonly string[];
  windows: boolean;
}

export interface Scheme<D> {
  example: string;
  /**
   * The kind of content that the place stores: files in a folder, objects in an object storage, or images. A place with
   * objects can also store a journal.
   */
  holds: "files" | "objects" | "images";
  /**
   * A text for the user about the source of the credentials. An address that contains credentials is refused, and the
   * error shows this text.
   */
  credentials: string;
  parse(address: Address): D | AddressProblem;
  library?: { of: string; package: OptionalPackage<unknown> };
  /**
   * Returns the reason why credentials may not be sent: they would go to a server that this machine's settings do not
   * name. The reason begins with a verb, such as "sets the endpoint …".
   */
  accessProblem?(destination: D): string | undefined;
}

export interface StoreOptions extends AttemptLimits {
  /** True if plain http to this machine is allowed. */
  plainLoopback: boolean;
}

/**
 * The scheme of an address, with the function that opens a store. The code of the store is loaded at the first call of
 * this function, because most processes open no store.
 */
export interface StoreScheme<D> extends Scheme<D> {
  /** @throws DestinationError if a package that the store needs is not installed. */
  open(destination: D, options: StoreOptions): Promise<Store | ImageStore>;
}

export interface ObjectStoreScheme<D> extends StoreScheme<D> {
  open(destination: D, options: StoreOptions): Promise<ObjectStore>;
}

export class OptionalPackage<T> {
  /**
   * @param title the package's name in messages.
   * @param install the name by which npm installs the package.
   * @param parts two functions that call `require.resolve` and `require`. The caller writes the package's name into
   * both calls, because a bundler finds a package only by such a call.
   */
  constructor(
    readonly title: string,
    readonly install: string,
    readonly parts: { resolve(): unknown; load(): T },
  ) {}

  /**
   * Returns the reason why a place that needs this package cannot be used; undefined if the package is installed. The
   * reason begins with a verb: "needs … beside this package". The package is not loaded.
   */
  missing(): string | undefined {
    if (typeof IS_BUNDLE !== "undefined") {
      return undefined;
    }
    try {
      this.parts.resolve();
      return undefined;
    } catch {
      return `needs ${this.title} beside this package: run \`npm install ${this.install}\``;
    }
  }

  /** @throws DestinationError with the command that installs the package. */
  load(): T {
    if (this.missing() !== undefined) {
      throw new DestinationError({
        happened: `the destination needs ${this.title}, which is not installed beside this package`,
        remedy: `run \`npm install ${this.install}\`, then \`${words.run}\` again.`,
      });
    }
    return this.parts.load();
  }
}

/**
 * Defined only in a bundle of the provider. A bundle contains all optional packages, so none of them can be missing.
 */
declare const IS_BUNDLE: true | undefined;

export interface ObjectAddress {
  /** The prefix of every name: it is empty, or ends with a slash. */
  prefix: string;
  /** The server's address, without a slash at the end; undefined if the storage's library finds the server. */
  endpoint: string | undefined;
}

/**
 * Parses the prefix and the endpoint of an object storage.
 * @param allowed the names of the allowed parameters. The error about another parameter does not show that parameter's
 * name, because the name may be a secret.
 */
export function objectAddress(
  { searchParams }: URL,
  steps: readonly string[],
  allowed: readonly string[],
  credentials: string,
): ObjectAddress | AddressProblem {
  const names = [...searchParams.keys()];
  if (names.some((name) => !allowed.includes(name))) {
    const parameters = allowed.length === 1 ? "parameter" : "parameters";
    return { problem: `accepts only the ${parameters} ${allowed.join(", ")}, and no credentials: ${credentials}` };
  }
  if (new Set(names).size < names.length) {
    return { problem: "has a parameter twice" };
  }
  const endpoint = searchParams.get("endpoint") ?? undefined;
  const problem = endpoint === undefined ? undefined : endpointProblem(endpoint);
  return problem === undefined
    ? { prefix: steps.map((step) => `${step}/`).join(""), endpoint: endpoint?.replace(/\/+$/, "") }
    : { problem };
}

function endpointProblem(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return "has an endpoint that is not a URL such as https://storage.example.com";
  }
  const { username, password, search, hash, protocol, hostname } = new URL(text);
  if (username || password || search || hash) {
    return "has an endpoint with credentials, a query or a fragment: give only its address";
  }
  return protocol === "https:" || isLoopback(hostname)
    ? undefined
    : "has an endpoint with plain http, which is allowed only for a loopback address: use https";
}
