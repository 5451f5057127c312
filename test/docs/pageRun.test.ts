import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { pulumiEnvironment } from "../../tools/engines/pulumiDriver";
import { unusedPort } from "../../tools/processes/serverProcess";
import { projectRoot } from "../../tools/projectRoot";
import { ControlPlane, controlPlanePrograms } from "../../tools/servers/controlPlane";
import { startCraneRegistry } from "../../tools/servers/startCraneRegistry";
import { getTool } from "../../tools/toolchain/getTool";
import { helmExecutable, toolTime } from "../delivery/chart/helm";
import { campaign } from "../support/campaign";
import { authority } from "../support/certificate";
import { testPlatform } from "../support/engineTest";
import { forwardTls } from "../support/loopback";
import { linkedPackages, linkPackages } from "../support/programFolder";
import { requireTool } from "../support/requireTool";
import { readDocument } from "./documents";
import { type Replacements, runPage } from "./pageRun";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pages-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }), toolTime);

/** The environment of a reader's shell, without the settings that the reader gives by hand. */
async function shellOf(folder: string): Promise<NodeJS.ProcessEnv> {
  const { NODE_OPTIONS: _, VITEST: __, ...inherited } = process.env;
  mkdirSync(folder, { recursive: true });
  return { ...inherited, ...(await pulumiEnvironment(folder)) };
}

describe.runIf(campaign)("the pages from top to bottom, in a clone of the last commit", () => {
  async function read(page: string, more: NodeJS.ProcessEnv, replacements: Replacements): Promise<void> {
    const clone = join(folder, page.replace(/\W/g, "-"), "clone");
    execFileSync("git", ["clone", "--quiet", projectRoot, clone]);
    const environment = { ...(await shellOf(join(clone, "..", "user"))), ...more };
    const { code, stdout, stderr } = await runPage(page, clone, environment, replacements);
    expect({ code, said: code === 0 ? "" : stdout.slice(-4_000) + stderr.slice(-4_000) }).toEqual({
      code: 0,
      said: "",
    });
  }

  /** The settings that a reader gives by hand: the platform's address, and the key. */
  async function settings(): Promise<Replacements> {
    const { baseUrl, apiKey } = await testPlatform({ jobTime: 1_000 });
    return {
      "https://api.example.com": baseUrl,
      "read -rs DOCS_PLATFORM_API_KEY && export DOCS_PLATFORM_API_KEY": `export DOCS_PLATFORM_API_KEY=${apiKey}`,
    };
  }

  it("README.md", () => read("README.md", {}, {}), 20 * 60_000);

  it("docs/getting-started.md", async () => read("docs/getting-started.md", {}, await settings()), 20 * 60_000);

  it(
    "docs/terraform.md, with a registry that speaks https",
    async () => {
      const registry = await startCraneRegistry(join(folder, "providers"));
      onTestFinished(() => registry.close());
      const { port } = await forwardTls(registry.host);
      const SSL_CERT_FILE = join(folder, "authority.pem");
      writeFileSync(SSL_CERT_FILE, authority);
      const tools = [dirname(registry.crane), dirname(await getTool("tofu")), process.env.PATH];
      const replacements = { ...(await settings()), "registry.internal": `127.0.0.1:${port}` };
      await read("docs/terraform.md", { SSL_CERT_FILE, PATH: tools.join(delimiter) }, replacements);
    },
    20 * 60_000,
  );
});

describe.skipIf(!requireTool("go"))(
  "the way into an air gap, word for word (crane, Helm and Kubernetes built with go)",
  () => {
    let plane: ControlPlane;
    beforeAll(async () => {
      await helmExecutable();
      plane = await ControlPlane.start(await controlPlanePrograms());
    }, toolTime);
    afterAll(() => plane?.close());

    it(
      "leads from an export outside to a release inside that mounts the image",
      async () => {
        const page = "docs/guides/air-gap.md";
        const [transfer, project] = [join(folder, "transfer"), join(folder, "project")];
        mkdirSync(transfer);
        mkdirSync(project);
        const inside = await startCraneRegistry(join(folder, "inside"));
        const outside = `127.0.0.1:${await unusedPort()}`;
        const server = `${inside.host}/public/nginx:1`;
        const layer = join(folder, "layer.tar");
        execFileSync("tar", ["-cf", layer, "-C", projectRoot, "LICENSE"]);
        // Replaces the image of the web server, which nobody runs here.
        execFileSync(inside.crane, ["append", "--new_layer", layer, "--new_tag", server, "--platform", "linux/amd64"]);
        const [program] = readDocument(page).blocks.filter(({ language }) => language === "ts");
        writeFileSync(join(project, "index.ts"), program?.text ?? "");
        writeFileSync(join(project, "Pulumi.yaml"), "name: outside\nruntime: nodejs\n");
        cpSync(join(projectRoot, "examples", "airGap", "tsconfig.json"), join(project, "tsconfig.json"));
        linkPackages(project, {
          ...linkedPackages,
          "@types/node": join(projectRoot, "node_modules", "@types", "node"),
        });
        writeFileSync(join(project, "package.json"), "{}");
        const { baseUrl, apiKey } = await testPlatform({ jobTime: 1_000 });
        const environment = await shellOf(join(folder, "user"));
        const tools = [dirname(inside.crane), dirname(await helmExecutable()), environment.PATH];
        const run = await runPage(
          page,
          project,
          {
            ...environment,
            PATH: tools.join(delimiter),
            KUBECONFIG: plane.kubeconfig,
            DOCS_PLATFORM_BASE_URL: baseUrl,
            DOCS_PLATFORM_API_KEY: apiKey,
          },
          {
            "transfer=/media/transfer": `transfer=${transfer}`,
            "outside=127.0.0.1:5000": `outside=${outside}`,
            "server=nginxinc/nginx-unprivileged:1.30.5-alpine": `server=${server}`,
            "inside=registry.internal": `inside=${inside.host}`,
            "<clone>": projectRoot,
            // A reader would carry this value over by another way. Here it comes from the outside stack.
            "version=<version>": 'version="$(pulumi stack output version)"',
            "digest=<digest>": 'digest="$(pulumi stack output digest)"',
            "/tmp/docs-registry": join(folder, "outside"),
          },
        );
        await inside.close();
        expect({
          code: run.code,
          said: run.code === 0 ? "" : run.stdout.slice(-4_000) + run.stderr.slice(-4_000),
        }).toEqual({
          code: 0,
          said: "",
        });
        const { spec } = await plane.ask("GET", "/apis/apps/v1/namespaces/docs/deployments/docs");
        const site = spec.template.spec.volumes.find(({ name }: { name: string }) => name === "site");
        expect(site.image.reference).toMatch(new RegExp(`^${inside.host}/docs@sha256:[0-9a-f]{64}$`));
        expect(spec.template.spec.containers.map(({ image }: { image: string }) => image)).toEqual([
          `${inside.host}/nginx:1`,
        ]);
        expect(existsSync(join(transfer, "chart", "Chart.yaml"))).toBe(true);
      },
      toolTime,
    );
  },
);
