import { describe } from "vitest";
import { campaign } from "../../support/campaign";
import { plainHost } from "./hosts";
import { lifecycleOn } from "./suite";

// In `npm test`, YAML stands for all languages of the plugin.
describe.skipIf(!campaign)("without a generated SDK,", () => lifecycleOn(plainHost));
