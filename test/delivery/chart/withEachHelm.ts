import { afterAll, beforeAll, describe } from "vitest";
import { campaign } from "../../support/campaign";
import { requireTool } from "../../support/requireTool";
import { type HelmVersion, toolTime, useHelm } from "./helm";

const versions: HelmVersion[] = campaign ? ["Helm 4", "Helm 3"] : ["Helm 4"];

/** Describes what holds with each version of Helm: with Helm 3 in the campaign only. @param title has a `%s` for it. */
export function withEachHelm(title: string, tests: (version: HelmVersion) => void): void {
  describe.skipIf(!requireTool("go")).each(versions)(title, (version) => {
    beforeAll(async () => void (await useHelm(version)), toolTime);
    afterAll(async () => void (await useHelm("Helm 4")));
    tests(version);
  });
}
