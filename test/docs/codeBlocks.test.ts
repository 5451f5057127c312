import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { executablesOnPath } from "../../tools/processes/executables";
import { projectRoot } from "../../tools/projectRoot";
import { temporaryFolder } from "../support/temporaryFolder";
import { documents, readDocument } from "./documents";

interface Block {
  place: string;
  text: string;
  language: string;
}

// The reference and the pages for Pulumi's registry are left out, because other builds compile their code.
const blocks: Block[] = documents
  .filter((path) => !/^(docs\/(reference\/|_index\.md)|examples\/registry\/)/.test(path))
  .flatMap((path) =>
    readDocument(path).blocks.map((block, index) => ({ place: `${path}, block ${index + 1}`, ...block })),
  );

const written = (language: string) => blocks.filter((block) => block.language === language);

/** Returns the compiler's messages, each with the place of its block. */
function compile(modules: readonly Pick<Block, "place" | "text">[]): string {
  const folder = temporaryFolder();
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"));
  for (const [index, { text }] of modules.entries()) {
    writeFileSync(join(folder, `${index}.ts`), text);
  }
  const settings = { extends: join(projectRoot, "tsconfig.json"), include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const compiler = join(dirname(createRequire(__filename).resolve("@typescript/native/package.json")), "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "--project", folder], { cwd: folder, encoding: "utf8" });
  return stdout.replace(/^(\d+)\.ts\([\d,]+\)/gm, (_, index) => `${modules[index]?.place}`);
}

it("the blocks of TypeScript compile", () => {
  expect(written("ts").length).toBeGreaterThan(8);
  expect(compile(written("ts"))).toBe("");
});

it("a block that does not compile is reported by its place", () => {
  const place = "here, block 1";
  const text = 'import { StaticExport } from "pulumi-docs-platform";\nnew StaticExport("site", { domian: "x" });\n';
  expect(compile([{ place, text }])).toMatch(/^here, block 1: .*domian/);
});

const named = (language: string) => written(language).map(({ place, text }) => [place, text] as const);

it.each(named("json"))("JSON can be read: %s", (_, text) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

it.each(named("yaml"))("YAML can be read: %s", (_, text) => {
  expect(() => parse(text)).not.toThrow();
});

// A command that would write a key into the shell's history. The embedded platform's key is not secret.
const keyInHistory = /\bapiKey[ \t]+(?!#)\S|DOCS_PLATFORM_API_KEY=(?!svc_example\b)\S/;

const shells = ["bash", "zsh"].filter((name) => executablesOnPath(name).length > 0);

it.each(named("sh"))("shells understand it, it fits 100 columns, and needs no key and no registry: %s", (_, text) => {
  // The reader replaces each `<…>` by a value. A shell would read `<…>` as redirections.
  const input = text.replaceAll(/<[^<>]+>/g, "x");
  for (const shell of shells) {
    const { status, stderr } = spawnSync(shell, ["-n"], { input, encoding: "utf8" });
    expect({ shell, status, stderr }).toEqual({ shell, status: 0, stderr: "" });
  }
  const lines = text.split("\n");
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
  expect(text).not.toMatch(keyInHistory);
  const installs = lines.filter((line) => /^(npm install .*pulumi-docs-platform|pulumi new )/.test(line));
  expect(installs.filter((line) => !/\.tgz\b|--generate-only/.test(line))).toEqual([]);
});

it.each(named("sh"))(
  "a reader can paste it: it has no comment, which an interactive zsh would pass as arguments, and waits for no key: %s",
  (_, text) => {
    expect(text).not.toMatch(/(^|\s)#(\s|$)|\bread -/m);
  },
);

it("a key on a command line is found", () => {
  expect("pulumi config set --secret docs-platform:apiKey svc_x").toMatch(keyInHistory);
  expect("export DOCS_PLATFORM_API_KEY=svc_x").toMatch(keyInHistory);
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

it("no block is of a language that has no check", () => {
  const others = blocks.filter(
    ({ language }) => !["ts", "json", "yaml", "sh", "", "python", "go", "hcl"].includes(language),
  );
  expect(others.map(({ place, language }) => `${place}: ${language}`)).toEqual([]);
});
