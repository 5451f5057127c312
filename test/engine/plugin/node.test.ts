import { describe } from "vitest";
import { campaign } from "../../support/campaign";
import { plain } from "./hosts";
import { lifecycleOn } from "./suite";

// In short, YAML stands for the plugin.
describe.skipIf(!campaign)("without a generated SDK,", () => lifecycleOn(plain));
