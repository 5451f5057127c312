import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { circles, forbiddenImports } from "../../../tools/check/checkImports";
import { importRules } from "../../../tools/check/importRules";
import { filesIn } from "../../../tools/filesIn";
import { projectRoot } from "../../../tools/projectRoot";

describe("import directions", () => {
  it.each([
    ["sdk/staticExport.ts", 'import { connect } from "../provider/platform/connect";'],
    ["sdk/staticExport.ts", 'import { request } from "undici";'],
    ["provider/polling/waiter.ts", 'import type { ExportJob } from "../platform/client";'],
    ["provider/platform/client.ts", 'const late = () => import("../polling/waiter.js");'],
    ["provider/resources/staticExport.ts", 'const host = require("../hosts/dynamic/dynamicProvider");'],
    ["provider/definitions/staticExport.ts", 'import { staticExport } from "../resources/staticExport";'],
    ["provider/functions/helmValues.ts", 'import type { HelmValues } from "../../sdk/helmValues";'],
    ["provider/index.ts", 'import { StaticExport } from "../sdk/staticExport";'],
    ["provider/lookUps.ts", 'import type { GetStaticExportArgs } from "../sdk/getStaticExport";'],
    ["provider/definitions/staticExport.ts", 'import { plan } from "../engine/plan";'],
    ["provider/engine/plan.ts", 'import { processSession } from "../pulumiEngine/session";'],
    ["provider/hosts/dynamic/dynamicProvider.ts", 'import { badRequest } from "../plugin/rpcError";'],
    ["provider/resources/staticExport.ts", 'export { request } from "undici";'],
    ["provider/support/redact.ts", 'import { routes } from "../platform/routes";'],
    ["simulator/server.ts", 'import { routes } from "../provider/platform/routes";'],
    ["examples/quickstart/index.ts", 'import { StaticExport } from "../../../sdk/index";'],
    ["provider/lookUps.ts", 'import { testPlatform } from "../test/support/engineTest";'],
    ["sdk/exportBundle.ts", 'type Client = import("../provider/platform/client.js").PlatformClient;'],
    ["tools/start/main.ts", 'import { testPlatform } from "../../test/support/engineTest";'],
    ["tools/servers/controlPlane.ts", 'import { network } from "../../lab/cluster/network";'],
    ["elsewhere/file.ts", ""],
  ])("%s is refused: %s", (file, source) => {
    expect(forbiddenImports(file, source)).toHaveLength(1);
  });

  it.each([
    ["sdk/staticExport.ts", 'import * as pulumi from "@pulumi/pulumi"; import { typeOf } from "./resource";'],
    ["provider/platform/connect.ts", 'const late = () => import("./client.js");'],
    ["examples/quickstart/index.ts", 'import { StaticExport } from "pulumi-docs-platform";'],
    ["examples/helm/index.ts", 'const domain = config.require("domain");'],
  ])("%s is allowed: %s", (file, source) => {
    expect(forbiddenImports(file, source)).toEqual([]);
  });

  it("between the folders of provider are those that its README tells", () => {
    const files = filesIn(join(projectRoot, "provider")).filter((file) => file.endsWith(".ts"));
    const folders = new Set(files.flatMap((file) => /^([^/]+)\//.exec(file)?.[1] ?? []));
    const isIn = (folder: string) => (file: string) => file.startsWith(`${folder}/`);
    const mayImport = (from: string, to: string) =>
      files.filter(isIn(from)).some((file) => {
        const rule = importRules.find(({ from: pattern }) => pattern.test(`provider/${file}`));
        return files.filter(isIn(to)).some((target) => rule?.allowed.test(`provider/${target.replace(/\.ts$/, "")}`));
      });
    const rows = readFileSync(join(projectRoot, "provider", "README.md"), "utf8").matchAll(
      /^\| (\w+)\/ \|.*\|(.*)\|$/gm,
    );
    const told = [...rows].map(([, folder = "", others = ""]) => [
      folder,
      [...folders].filter((other) => other !== folder && new RegExp(`\\b${other}\\b`).test(others)),
    ]);
    const held = [...folders].map((folder) => [
      folder,
      [...folders].filter((other) => other !== folder && mayImport(folder, other)),
    ]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(held));
  });
});

describe("a circle of imports", () => {
  it("is found, whatever its length, also through an index, a type or an import that is made later", () => {
    const found = circles(
      new Map([
        ["a/one.ts", 'import type { Two } from "./two";'],
        ["a/two.ts", 'export const load = () => import("../b/index.js");'],
        ["b/index.ts", 'export { one } from "../a/one";'],
        ["b/alone.ts", 'import "./index"; import "../a/two"; import "vitest";'],
      ]),
    );
    expect(found).toEqual(["a/one → a/two → b → a/one: a circle"]);
  });

  it("is found between folders of what is published, where no file leads back to itself", () => {
    const found = circles(
      new Map([
        ["sdk/one.ts", 'import "../provider/platform/client"; import "./two";'],
        ["sdk/two.ts", 'import "@pulumi/pulumi";'],
        ["provider/platform/client.ts", 'import "./schemas";'],
        ["provider/platform/schemas.ts", 'import type { Two } from "../../sdk/two";'],
        ["tools/one.ts", 'import "../lab/one";'],
        ["lab/one.ts", 'import "../tools/two";'],
      ]),
    );
    expect(found).toEqual(["sdk → provider/platform → sdk: a circle"]);
  });

  it("is no file that two others lead to", () => {
    const shared = 'import "./shared";';
    const files: [string, string][] = [
      ["one.ts", `import "./two"; ${shared}`],
      ["two.ts", shared],
      ["shared.ts", ""],
    ];
    expect(circles(new Map(files))).toEqual([]);
  });
});
