import { it } from "vitest";

/** True in `npm run campaign`, which runs the long form of random and repeated tests. */
export const campaign = process.env.CAMPAIGN === "1";

/**
 * Runs a test only in the campaign. Use it for a variant of a rule that another test already shows on the real engine.
 */
export const variant = it.runIf(campaign);
