import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { contentType, types } from "mime-types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import schema from "../../../charts/docs-site/values.schema.json";
import { projectRoot } from "../../../tools/projectRoot";
import { chartFiles } from "../../../tools/schema/chartFiles";
import { campaign } from "../../support/campaign";
import { hasTool, requireTool } from "../../support/requireTool";
import { startNginx } from "../site/webServers";
import { helmExecutable, toolTime } from "./helm";
import { Pod } from "./pod";
import { everyValue, image } from "./values";

it.each(chartFiles())("%s is what the schema and the list of types say: `npm run schema` writes it", (path, text) => {
  expect(readFileSync(join(projectRoot, path), "utf8")).toBe(text);
});

it("every value of the chart is described, and is among those that the tests set", () => {
  const lacking: string[] = [];
  const visit = (values: object, given: object, path: string) => {
    for (const [name, value] of Object.entries(values)) {
      const set = (given as Record<string, object>)[name];
      if (
        typeof value.description !== "string" ||
        (set === undefined && !["staticExport.", "disruptionBudget."].includes(path))
      ) {
        lacking.push(path + name);
      }
      if (value.properties && set !== undefined) {
        visit(value.properties, set, `${path}${name}.`);
      }
    }
  };
  visit(schema.properties, everyValue, "");
  expect(lacking).toEqual([]);
});

describe.skipIf(!requireTool("go") || !hasTool("nginx"))("by nginx and Helm (built with go)", () => {
  beforeAll(async () => void (await helmExecutable()), toolTime);
  afterAll(() => Pod.removeAll());

  it("every file has the type that a mirror gives to it in a bucket, whatever its extension is", async () => {
    const pod = await Pod.create({ busybox: false }, "", { image: image.image });
    const known = Object.keys(types).filter((_, index) => campaign || index % 40 === 0);
    const named =
      "css html js json jxl map md mjs svg ttf txt vtt wasm webmanifest woff woff2 xml yaml HTML Js d.ts unknown";
    const names = [...known, ...named.split(" ")].map((extension) => `a.${extension}`);
    names.push("LICENSE", ".hidden", "a.", "folder.js/a", "folder/.well-known/b.json");
    pod.mount([["index.html", "x"], ...names.map((name) => [`all/${name}`, "x"] as const)]);
    const server = await startNginx(pod);
    const seen: [string, string | null][] = [];
    for (const name of names) {
      const { headers } = await fetch(`${server.origin}/all/${name}`);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      seen.push([name, headers.get("content-type")]);
    }
    await server.close();
    expect(seen).toEqual(names.map((name) => [name, contentType(extname(name)) || "application/octet-stream"]));
  });
});
