import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { projectRoot } from "../../tools/projectRoot";
import { compile, type PageModule } from "./compile";
import { documents, readDocument } from "./documents";

interface Block extends PageModule {
  language: string;
}

// The reference shows signatures only, and the package's own build compiles its docstrings. The pages of Pulumi's
// registry show an example of examples/registry, which the campaign compiles and runs.
const blocks: Block[] = documents
  .filter((path) => !/^(docs\/(reference\/|_index\.md)|examples\/registry\/)/.test(path))
  .flatMap((path) =>
    readDocument(path).blocks.map((block, index) => ({ place: `${path}, block ${index + 1}`, ...block })),
  );

const written = (language: string) => blocks.filter((block) => block.language === language);

it("the blocks of TypeScript compile", () => {
  expect(written("ts").length).toBeGreaterThan(8);
  expect(compile(written("ts"))).toEqual([]);
});

it("a block that does not compile is told by its place", () => {
  const place = "here, block 1";
  const text = 'import { StaticExport } from "pulumi-docs-platform";\nnew StaticExport("site", { domian: "x" });\n';
  expect(compile([{ place, text }]).join()).toMatch(/^here, block 1: .*domian/);
});

it.each(written("json").map(({ place, text }) => [place, text]))("JSON can be read: %s", (_, text) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

it.each(written("yaml").map(({ place, text }) => [place, text]))("YAML can be read: %s", (_, text) => {
  expect(() => parse(text)).not.toThrow();
});

it.each(written("sh").map(({ place, text }) => [place, text]))("the shell understands: %s", (_, text) => {
  // Parts that a reader replaces stand in <…>, which a shell would take for files.
  const { status, stderr } = spawnSync("bash", ["-n"], { input: text.replaceAll(/<[^<>]+>/g, "x"), encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

const terraform = readdirSync(join(projectRoot, "examples", "terraform")).map((name) => `terraform/${name}/main.tf`);

it.each([
  ["python", ["languages/python/__main__.py"]],
  ["go", ["languages/go/main.go"]],
  ["hcl", terraform],
])("the blocks in %s are lines of examples, which run", (language, examples) => {
  const lines = examples.flatMap((path) => readFileSync(join(projectRoot, "examples", path), "utf8").split("\n"));
  const known = new Set(lines.map((line) => line.trim()));
  expect(written(language).length).toBeGreaterThan(0);
  for (const { place, text } of written(language)) {
    const others = text.split("\n").filter((line) => !known.has(line.trim()));
    expect(others, place).toEqual([]);
  }
});

it("a mirror in HCL stays until its successor is there", () => {
  const texts = [...terraform.map((path) => readFileSync(join(projectRoot, "examples", path), "utf8"))];
  const all = [...texts, ...written("hcl").map(({ text }) => text)].join("\n");
  const mirrors = [...all.matchAll(/^resource "docsplatform_bundle_mirror"[\s\S]*?^}/gm)].map(([text]) => text);
  expect(mirrors.length).toBeGreaterThan(2);
  expect(mirrors.filter((text) => !text.includes("create_before_destroy = true"))).toEqual([]);
});

it("no block is of a language that nothing holds to its rules", () => {
  const others = blocks.filter(
    ({ language }) => !["ts", "json", "yaml", "sh", "", "python", "go", "hcl"].includes(language),
  );
  expect(others.map(({ place, language }) => `${place}: ${language}`)).toEqual([]);
});

it.each(written("sh").map(({ place, text }) => [place, text]))(
  "nothing is installed from a registry that does not have it: %s",
  (_, text) => {
    const lines = text.split("\n").filter((line) => /^(npm install .*pulumi-docs-platform|pulumi new )/.test(line));
    expect(lines.filter((line) => !/\.tgz\b|--generate-only/.test(line))).toEqual([]);
  },
);

it.each(written("sh").map(({ place, text }) => [place, text]))("fits a terminal of 100 columns: %s", (_, text) => {
  expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
});

// The only key that pages may show is made up for the embedded platform.
const keyInHistory = /\bapiKey[ \t]+(?!#)\S|DOCS_PLATFORM_API_KEY=(?!svc_example\b)\S/;

it.each(written("sh").map(({ place, text }) => [place, text]))("no key is typed into a command line: %s", (_, text) => {
  expect(text).not.toMatch(keyInHistory);
});

it.each(["pulumi config set --secret docs-platform:apiKey svc_x", "export DOCS_PLATFORM_API_KEY=svc_x"])(
  "a key on a command line is found: %s",
  (line) => {
    expect(line).toMatch(keyInHistory);
  },
);
