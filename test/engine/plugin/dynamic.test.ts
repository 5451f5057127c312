import { describe } from "vitest";
import { campaign } from "../../support/campaign";
import { dynamicNode } from "./hosts";
import { lifecycleOn } from "./suite";

// In `npm test`, the tests of test/engine/lifecycle hold every case of this host.
describe.skipIf(!campaign)("the dynamic provider,", () => lifecycleOn(dynamicNode));
