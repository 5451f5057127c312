import { expect, it } from "vitest";
import { mint, stackAfterUp } from "../../support/engineTest";
import { strangePlatform } from "../../support/strangePlatform";

const minutes = 60_000;
const nothing = { code: 0, requests: [] };
const warning = /creates a new one only after/;

it("a platform that returns the held link until its end is asked once, warned of once, and asked again after the end", async () => {
  const front = await strangePlatform();
  const { platform } = front;
  platform.linkLife = 60 * minutes;
  const links = new Map<string, { bundleUrl: string; expiresAt: string }>();
  front.habit = {
    answer: ({ body }, { operation, path }) => {
      if (operation !== "generateBundle") {
        return undefined;
      }
      const held = links.get(path);
      const isGood = Date.parse(held?.expiresAt ?? "") > Date.now() + platform.clockOffset;
      const link = held && isGood ? held : (body as { bundleUrl: string; expiresAt: string });
      links.set(path, link);
      return { body: link };
    },
  };
  const stack = await stackAfterUp(front);
  const after = (time: number) => {
    platform.clockOffset = time;
    stack.setClockAhead(time);
  };
  const first = await stack.outputs();
  const renewal = [mint(first.jobId)];

  after(55 * minutes);
  const inMargin = await stack.up();
  expect(inMargin).toMatchObject({ code: 0, requests: renewal });
  // The rows repeat only the last warning. The end of the output lists all of them.
  const [rows, atTheEnd = ""] = inMargin.output.split("Diagnostics:");
  expect(rows).toMatch(warning);
  expect(atTheEnd.split(warning)).toHaveLength(2);
  expect(await stack.outputs()).toEqual(first);

  after(57 * minutes);
  const later = await stack.up("--expect-no-changes");
  expect(later, later.output).toMatchObject(nothing);
  expect(later.output).not.toMatch(warning);
  expect(await stack.preview("--expect-no-changes")).toMatchObject(nothing);

  after(61 * minutes);
  const ended = await stack.up();
  expect(ended).toMatchObject({ code: 0, requests: renewal });
  expect(ended.output).not.toMatch(warning);
  const second = await stack.outputs();
  expect(second).toMatchObject({ jobId: first.jobId, version: first.version });
  expect(second.bundleUrl).not.toBe(first.bundleUrl);

  after(116 * minutes);
  expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
});
