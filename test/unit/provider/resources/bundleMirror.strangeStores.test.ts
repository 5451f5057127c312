import { describe, expect, it } from "vitest";
import { campaign } from "../../../support/campaign";
import { campaignSeed, seededRandom } from "../../../support/random";
import { playLife } from "../../../support/strangers/storeLife";
import { strangeStores } from "../../../support/strangers/storePlaces";
import { occasions, type StoreFamily } from "../../../support/strangers/stores";

/** For each life of a mirror, the run in which the unusual behaviour begins. Undefined: the seed selects the run. */
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
      // `npm test` plays only one life with each behaviour. If the behaviour does not appear in this life, `met` is 0.
      expect(campaign ? met : 1).toBeGreaterThan(0);
    },
    campaign ? 600_000 : 90_000,
  );
});
