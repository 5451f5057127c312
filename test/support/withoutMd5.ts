import type { hash as hashAtOnce, createHash as hashOf } from "node:crypto";
import { replaceInBuiltin } from "./replaceInBuiltin";

/** Makes MD5 fail until the test ends, as OpenSSL's FIPS provider does. Returns the stack of each call for MD5. */
export function withoutMd5(): string[] {
  const wanted: string[] = [];
  const refuse = (name: string) => {
    if (name.toLowerCase() === "md5") {
      const error = new Error("error:0308010C:digital envelope routines::unsupported");
      wanted.push(error.stack ?? "");
      throw error;
    }
  };
  replaceInBuiltin("node:crypto", ({ createHash, hash }) => ({
    createHash(...args: Parameters<typeof hashOf>) {
      refuse(args[0]);
      return (createHash as typeof hashOf)(...args);
    },
    hash(...args: Parameters<typeof hashAtOnce>) {
      refuse(args[0]);
      return (hash as typeof hashAtOnce)(...args);
    },
  }));
  return wanted;
}
