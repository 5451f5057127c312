import { it } from "vitest";

/** `npm run campaign`: the long forms of the tests that draw at random, or run the same in many places. */
export const campaign = process.env.CAMPAIGN === "1";

/** A variant of what another test holds on the real engine: in the campaign only. */
export const variant = it.runIf(campaign);
