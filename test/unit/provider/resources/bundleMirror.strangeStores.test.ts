import { describe, expect, it } from "vitest";
import { campaign } from "../../../support/campaign";
import { campaignSeed, seededRandom } from "../../../support/random";
import { playLife } from "../../../support/strangers/storeLife";
import { strangeStores } from "../../../support/strangers/storePlaces";
import { occasions, type StoreFamily } from "../../../support/strangers/stores";

/**
 * The runs in which the behaviour of a store begins. `npm test` plays one random run for each family. The campaign
 * plays each run six times.
 */
const wanted = campaign ? Array.from({ length: 6 }, () => occasions).flat() : [undefined];

describe.each(strangeStores)("a mirror at a %s with an unusual habit", (_, families, newPlace) => {
  const place = newPlace();

  it.each(Object.keys(families).map((name, at) => [name, at] as const))(
    "harms nothing, says what is wrong, and is complete after the next usual run: %s",
    async (name, at) => {
      const [random, family] = [seededRandom(campaignSeed() + at), families[name] as StoreFamily];
      const broken: object[] = [];
      let met = 0;
      for (const occasion of wanted) {
        const seed = random.whole(0, 1e9);
        const { text, troubles, isMet } = await playLife({ place: place(seed), family, occasion, seed });
        met += isMet ? 1 : 0;
        broken.push(...(troubles.length > 0 ? [{ text, troubles }] : []));
      }
      expect(broken).toEqual([]);
      // In `npm test`, the only life of a family may not meet the behaviour, so the count is not checked.
      expect(campaign ? met : 1).toBeGreaterThan(0);
    },
    campaign ? 600_000 : 90_000,
  );
});
