import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { writeValues } from "../../../sdk/writeValues";
import { requireTool } from "../../support/requireTool";
import { temporaryFolder } from "../../support/temporaryFolder";
import { known, mockOutputs } from "../../unit/sdk/mocked";
import { chart, helm, helmExecutable, type KubernetesObject, only, toolTime } from "./helm";
import { link } from "./values";

describe.skipIf(!requireTool("go"))("a file of writeValues", () => {
  beforeAll(async () => void (await helmExecutable()), toolTime);

  it("is read by Helm (built with go), with values of one's own beside those of the bundle", async () => {
    await mockOutputs({});
    const folder = temporaryFolder();
    const values = { replicas: 5, staticExport: pulumi.secret(link) };
    const file = await known(writeValues(join(folder, "values.secret.yaml"), values));
    const { code, stdout, stderr } = await helm(["template", "docs", chart, "--values", file]);
    expect(code, stderr).toBe(0);
    const objects = parseAllDocuments(stdout).map((document): KubernetesObject => document.toJS());
    expect(only(objects, "Deployment").spec.replicas).toBe(5);
    expect(only(objects, "Secret").data.bundleUrl).toBe(btoa(link.bundleUrl));
  });
});
