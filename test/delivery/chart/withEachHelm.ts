import { afterAll, beforeAll, describe } from "vitest";
import { campaign } from "../../support/campaign";
import { requireTool } from "../../support/requireTool";
import { type HelmVersion, toolTime, useHelm } from "./helm";

const versions: HelmVersion[] = campaign ? ["Helm 4", "Helm 3"] : ["Helm 4"];

/** Runs tests with Helm 4, and in the campaign also with Helm 3. `%s` in the title is the version. */
export function withEachHelm(title: string, tests: (version: HelmVersion) => void): void {
  describe.skipIf(!requireTool("go")).each(versions)(title, (version) => {
    beforeAll(async () => void (await useHelm(version)), toolTime);
    afterAll(async () => void (await useHelm("Helm 4")));
    tests(version);
  });
}
