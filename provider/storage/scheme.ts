import { DestinationError } from "../support/errors";
import { isLoopback } from "../support/hostNames";
import { words } from "../support/words";
import type { AttemptLimits } from "./attempt";
import type { ImageStore } from "./imageStore";
import type { ObjectStore } from "./objectStore";
import type { FileOrObjectStore } from "./store";

/** The reason, such as "has a parameter twice", shows no part of the address that could be a secret. */
export interface AddressParseFailure {
  problem: string;
}

interface Address {
  url: URL;
  /** Decoded. No segment is empty, `.` or `..`. */
  steps: readonly string[];
  windows: boolean;
}

export interface DestinationScheme<D> {
  example: string;
  /** A place with objects can also store a journal. */
  holds: "files" | "objects" | "images";
  /** Where the store takes the credentials from. An error says so if a user writes credentials into the address. */
  credentials: string;
  parse(address: Address): D | AddressParseFailure;
  library?: { of: string; package: OptionalPackage<unknown> };
  /**
   * Returns the reason why credentials may not go to the destination's server. The reason begins with a verb, such as
   * "sets the endpoint …".
   */
  accessProblem?(destination: D): string | undefined;
}

export interface OpenStoreOptions extends AttemptLimits {
  plainLoopback: boolean;
}

/** The code of the store is loaded when `open` is called, because most processes open no store. */
export interface OpenableScheme<D> extends DestinationScheme<D> {
  /** @throws DestinationError if a package of the store is not installed. */
  open(destination: D, options: OpenStoreOptions): Promise<FileOrObjectStore | ImageStore>;
}

export interface OpenableObjectScheme<D> extends OpenableScheme<D> {
  open(destination: D, options: OpenStoreOptions): Promise<ObjectStore>;
}

export class OptionalPackage<T> {
  /**
   * `title` is the package's name in messages, and `install` its name for npm. The functions in `parts` must call
   * `require.resolve` and `require` with the package's name: a bundler finds a package only by such a call.
   */
  constructor(
    readonly title: string,
    readonly install: string,
    readonly parts: { resolve(): unknown; load(): T },
  ) {}

  /** Returns the reason why the package cannot be used: "needs … beside this package". The package is not loaded. */
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

/** Defined only in a bundle of the provider, which contains all optional packages. */
declare const IS_BUNDLE: true | undefined;

export interface ObjectAddress {
  /** Empty, or ends with a slash. */
  prefix: string;
  /** Without a slash at the end; undefined if the storage's library finds the server. */
  endpoint: string | undefined;
}

/** An error shows only the names of the `allowed` parameters, because any other name may be a secret. */
export function parseObjectAddress(
  { searchParams }: URL,
  steps: readonly string[],
  allowed: readonly string[],
  credentials: string,
): ObjectAddress | AddressParseFailure {
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
