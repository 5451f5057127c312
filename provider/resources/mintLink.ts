import type { MintedLink } from "../platform/client";
import { isoTime } from "../support/isoTime";
import type { Context } from "./lifecycle";

/** A new link to the bundle of a job, by one request. */
export function mintLink(job: string, { connect, signal, span }: Context): Promise<MintedLink> {
  return span("mint link", { job }, async (minting) => {
    const link = await (await connect()).createBundle(job, { signal });
    minting.set({ expiresAt: isoTime(link.expiresAt) });
    return link;
  });
}
