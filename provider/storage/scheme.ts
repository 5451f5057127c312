import { DestinationError } from "../support/errors";
import { isLoopback } from "../support/hostNames";
import { words } from "../support/words";

/** The reason why an address is refused, as the end of a sentence about it. It contains no part that could be a secret. */
export interface AddressProblem {
  problem: string;
}

/** An address whose general form is right. */
export interface Address {
  url: URL;
  /** The decoded names of the path. None of them is empty, `.` or `..`. */
  steps: readonly string[];
  /** Whether folders are those of Windows, which begin with a drive. */
  windows: boolean;
}

/** One kind of place, as an address names it. */
export interface Scheme<D> {
  /** An address to show as an example. */
  example: string;
  /** Files can be written one by one; objects can also hold a journal; images are those of a registry. */
  holds: "files" | "objects" | "images";
  /** Where credentials come from, since an address must not hold any. */
  credentials: string;
  parse(address: Address): D | AddressProblem;
  /** The library that a program installs only for this scheme, and what needs it. */
  library?: { of: string; package: OptionalPackage<unknown> };
}

/** A package that a program installs beside this one only if it needs it. */
export class OptionalPackage<T> {
  /** The name by which npm installs it. */
  readonly install: string;
  readonly #parts: { title: string; install: string; resolve(): unknown; load(): T };

  /**
   * @param parts.title the package in words.
   * @param parts.resolve `require.resolve` of the package, and `load` its `require`: a bundler reads both in the source.
   */
  constructor(parts: { title: string; install: string; resolve(): unknown; load(): T }) {
    this.#parts = parts;
    this.install = parts.install;
  }

  /** Why a place cannot be used here, as the end of a sentence about it; undefined if the package is there. Does not load it. */
  missing(): string | undefined {
    return this.#isThere() ? undefined : `needs ${this.#parts.title} beside this package: ${this.#remedy}`;
  }

  /** @throws DestinationError with the command that installs it. */
  load(): T {
    if (!this.#isThere()) {
      throw new DestinationError({
        happened: `the destination needs ${this.#parts.title}, which is not installed beside this package`,
        remedy: `${this.#remedy}, then \`${words.run}\` again.`,
      });
    }
    return this.#parts.load();
  }

  get #remedy(): string {
    return `run \`npm install ${this.install}\``;
  }

  #isThere(): boolean {
    if (typeof IS_BUNDLE !== "undefined") {
      return true;
    }
    try {
      this.#parts.resolve();
      return true;
    } catch {
      return false;
    }
  }
}

/** Defined only in a bundle of the program, which contains every library. */
declare const IS_BUNDLE: true | undefined;

/** Why the address of a server in a parameter cannot be used. */
export function endpointProblem(text: string): string | undefined {
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

/** Why the parameters of an address cannot be used. A parameter that is not allowed may contain a secret: it is not shown. */
export function parameterProblem(
  query: URLSearchParams,
  allowed: readonly string[],
  credentials: string,
): string | undefined {
  const names = [...query.keys()];
  if (names.some((name) => !allowed.includes(name))) {
    return `accepts only ${allowed.length === 1 ? "the parameter" : "the parameters"} ${allowed.join(" and ")}, and no credentials: ${credentials}`;
  }
  return new Set(names).size < names.length ? "has a parameter twice" : undefined;
}
