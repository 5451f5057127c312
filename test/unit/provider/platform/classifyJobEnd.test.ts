import { expect, it } from "vitest";
import { classifyJobEnd } from "../../../../provider/platform/classifyJobEnd";
import { campaign } from "../../../support/campaign";
import { campaignSeed, seededRandom } from "../../../support/random";
import { drawWord } from "../../../support/strangers/statuses";

const failures = [
  ...["failed", "failure", "error", "errored", "cancelled", "canceled", "aborted", "rejected", "deleted", "expired"],
  ...["timed_out", "timed-out", "timed out", "timedout", "timeout", "terminated", "killed", "stopped"],
];
const capitals = (word: string) => word.replace(/(^|[_ -])[a-z]/g, (first) => first.toUpperCase());

it.each(failures)("%s is a failure, in any case", (word) => {
  expect([word, word.toUpperCase(), capitals(word)].map(classifyJobEnd)).toEqual(["failed", "failed", "failed"]);
});

it.each(["paused", "cancelling", "stopping", "retrying", "finalizing", "errors: 0", "constructor"])(
  "%s is not known to be an end",
  (word) => {
    expect(classifyJobEnd(word)).toBeUndefined();
  },
);

it("no word for a queued or running job is an end, in any style", () => {
  const random = seededRandom(campaignSeed());
  const words = Array.from({ length: campaign ? 2_000 : 200 }, () => drawWord(random, random.pick(["queue", "run"])));
  expect(words.filter((word) => classifyJobEnd(word) !== undefined)).toEqual([]);
});
