import { it } from "vitest";

/** True in `npm run campaign`, which runs the long form of random and repeated tests. */
export const campaign = process.env.CAMPAIGN === "1";

/** Runs a test only in the campaign. Another test already shows the rule on the real engine. */
export const variant = it.runIf(campaign);
