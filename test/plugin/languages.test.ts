import { describe } from "vitest";
import { languages } from "./languages";
import { lifecycleOn } from "./suite";

/** In the campaign only: what they need takes minutes to build. LANGUAGES names those that are wanted, else it is all. */
const wanted = process.env.LANGUAGES?.split(",") ?? Object.keys(languages);

describe.skipIf(process.env.CAMPAIGN !== "1")("the languages with a generated SDK", () => {
  for (const [name, host] of Object.entries(languages)) {
    if (wanted.includes(name)) {
      lifecycleOn(host);
    }
  }
});
