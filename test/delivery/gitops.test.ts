import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { projectRoot } from "../../tools/projectRoot";
import { getTool } from "../../tools/toolchain/getTool";
import { pinnedVersion, pinsFolder } from "../../tools/toolchain/pins";
import { requireTool } from "../support/requireTool";
import { chart, helm, toolTime } from "./chart/helm";
import { image } from "./chart/values";

const run = promisify(execFile);
const examples = join(projectRoot, "examples", "gitops");
const types = ["helm-controller/api/v2", "source-controller/api/v1"].map((name) => `github.com/fluxcd/${name}`);
const argo = { pins: "tools/pins/gitops", module: "github.com/argoproj/argo-cd/v3" };

type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; items?: Schema };

describe.skipIf(!requireTool("go"))("the manifests of the GitOps guide", () => {
  const folder = mkdtempSync(join(tmpdir(), "gitops-"));
  let kubeconform: string;

  beforeAll(async () => {
    kubeconform = await getTool("kubeconform");
    // Flux publishes the types of its objects. A tool of Kubernetes makes the schemas from them, as Flux itself does.
    const generator = await getTool("controller-gen");
    const made = join(folder, "flux");
    await run(generator, ["crd", `paths=${types.join(";")}`, `output:dir=${made}`], {
      cwd: pinsFolder({ pins: "tools/pins/gitops" }),
    });
    const definitions = readdirSync(made).map((name) => join(made, name));
    const module = `${argo.module}@v${pinnedVersion(argo)}`;
    const { stdout } = await run("go", ["mod", "download", "-json", module], { cwd: tmpdir() });
    definitions.push(join(JSON.parse(stdout).Dir, "manifests", "crds", "application-crd.yaml"));
    mkdirSync(join(folder, "schemas"));
    for (const definition of definitions) {
      writeSchemas(readFileSync(definition, "utf8"), join(folder, "schemas"));
    }
  }, toolTime);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function judge(manifests: string): Promise<Record<string, number>> {
    const file = join(folder, "manifests.yaml");
    writeFileSync(file, manifests);
    const location = join(folder, "schemas", "{{.ResourceKind}}{{.KindSuffix}}.json");
    const flags = ["-schema-location", location, "-summary", "-output", "json"];
    const { stdout } = await run(kubeconform, [...flags, file]).catch((error) => error);
    return JSON.parse(stdout).summary;
  }

  it.each([
    ["flux/site.yaml", 1],
    ["flux/release.yaml", 2],
    ["argoCd/link.yaml", 1],
    ["argoCd/image.yaml", 1],
  ])("%s fits the project's own schema, and a field of another name does not", async (name, valid) => {
    const manifests = readFileSync(join(examples, name), "utf8");
    expect(await judge(manifests)).toEqual({ valid, invalid: 0, errors: 0, skipped: 0 });
    expect(await judge(manifests.replace(/^spec:/m, "spec:\n  misspelt: true"))).toMatchObject({ invalid: 1 });
  });

  it.each(["argoCd/link.yaml", "argoCd/image.yaml"])("%s has values that the chart takes", async (name) => {
    const { valuesObject } = parse(readFileSync(join(examples, name), "utf8")).spec.source.helm;
    expect(await helm(["template", "docs", chart], valuesObject)).toMatchObject({ code: 0, stderr: "" });
  });

  it("flux/release.yaml has values that the chart takes, beside those of the Secret", async () => {
    const documents = parseAllDocuments(readFileSync(join(examples, "flux", "release.yaml"), "utf8"));
    const { spec } = documents.map((document) => document.toJS()).find(({ kind }) => kind === "HelmRelease");
    expect(await helm(["template", "docs", chart], { ...spec.values, staticExport: image })).toMatchObject({ code: 0 });
  });
});

/** Writes the schemas of a CustomResourceDefinition in kubeconform's format, without room for unknown fields. */
function writeSchemas(definition: string, folder: string): void {
  const { spec } = parse(definition);
  for (const { name, schema } of spec.versions) {
    const file = [spec.names.kind.toLowerCase(), spec.group.split(".")[0], name].join("-");
    const { spec: inner } = schema.openAPIV3Schema.properties;
    tighten(inner);
    writeFileSync(join(folder, `${file}.json`), JSON.stringify(schema.openAPIV3Schema));
  }
}

function tighten(schema: Schema): void {
  if (schema.properties !== undefined && schema["x-kubernetes-preserve-unknown-fields"] !== true) {
    schema.additionalProperties = false;
  }
  for (const inner of [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items === undefined ? [] : [schema.items]),
  ]) {
    tighten(inner);
  }
}
