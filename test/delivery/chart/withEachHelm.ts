import { afterAll, beforeAll, describe } from "vitest";
import { campaign } from "../../support/campaign";
import { requireTool } from "../../support/requireTool";
import { type HelmVersion, toolTime, useHelm } from "./helm";

const versions: HelmVersion[] = campaign ? ["Helm 4", "Helm 3"] : ["Helm 4"];

/**
 * Runs tests once for each version of Helm: Helm 4 always, Helm 3 only in the campaign.
 * @param title the title of the tests. It contains `%s` in place of the version.
 */
export function withEachHelm(title: string, tests: (version: HelmVersion) => void): void {
  describe.skipIf(!requireTool("go")).each(versions)(title, (version) => {
    beforeAll(async () => void (await useHelm(version)), toolTime);
    afterAll(async () => void (await useHelm("Helm 4")));
    tests(version);
  });
}
