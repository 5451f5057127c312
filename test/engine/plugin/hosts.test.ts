import { describe } from "vitest";
import { campaign } from "../../support/campaign";
import { dynamicNode, plainHost, yaml } from "./hosts";
import { lifecycleOn } from "./suite";

lifecycleOn(yaml);

// In `npm test`, YAML stands for all languages of the plugin, and test/engine/lifecycle holds every case of the dynamic provider.
describe.skipIf(!campaign)("in the campaign,", () => {
  lifecycleOn(plainHost);
  lifecycleOn(dynamicNode);
});
