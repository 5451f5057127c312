import { describe, expect, it } from "vitest";
import { circles, forbiddenImports } from "../../../tools/check/checkImports";

describe("import directions", () => {
  it.each([
    ["sdk/staticExport.ts", 'import { connect } from "../provider/platform/connect";'],
    ["sdk/staticExport.ts", 'import { request } from "undici";'],
    ["provider/polling/waiter.ts", 'import type { ExportJob } from "../platform/client";'],
    ["provider/platform/client.ts", 'const late = () => import("../polling/waiter.js");'],
    ["provider/resources/staticExport.ts", 'const host = require("../hosts/dynamic/dynamicProvider");'],
    ["provider/resources/staticExport.ts", 'import { staticExport } from "../definitions/staticExport";'],
    ["provider/definitions/staticExport.ts", 'import { plan } from "../engine/plan";'],
    ["provider/engine/plan.ts", 'import { processSession } from "../hosts/pulumi/session";'],
    ["provider/hosts/dynamic/dynamicProvider.ts", 'import { badRequest } from "../plugin/rpcError";'],
    ["provider/resources/staticExport.ts", 'export { request } from "undici";'],
    ["provider/support/redact.ts", 'import { routes } from "../platform/routes";'],
    ["simulator/server.ts", 'import { routes } from "../provider/platform/routes";'],
    ["examples/quickstart/index.ts", 'import { StaticExport } from "../../../sdk/index";'],
    ["provider/index.ts", 'import { testPlatform } from "../test/support/engineTest";'],
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
