import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { version } from "../../package.json";
import { projectRoot } from "../../tools/projectRoot";
import { fingerprintLine, OpenPgpKey } from "../../tools/release/openPgpKey";
import { campaign } from "../support/campaign";
import { folderOfFile } from "../support/temporaryFolder";

interface Step {
  uses?: string;
  run?: string;
  env?: Record<string, string>;
}

const workflow = parse(readFileSync(join(projectRoot, ".github/workflows/release.yml"), "utf8"));
/** The steps of both jobs. They run in one folder here. In the workflow, artifacts carry the files from job to job. */
const steps: Step[] = [...workflow.jobs.build.steps, ...workflow.jobs.publish.steps];
/** Replaces the action that publishes to PyPI, and checks the same files. */
const checkWheel = '"$SCRATCH/venv/bin/twine" check --strict dist/python/*';
const commandOf = ({ uses = "", run }: Step) => (uses.startsWith("pypa/") ? checkWheel : run);
/** The steps with a command. The steps with `sudo` run the tests and install system packages, so they are left out. */
const commands = steps.filter((step) => !/^sudo |^$/.test(commandOf(step) ?? ""));

/** The replacements publish nothing. Only a workflow can attest provenance, so `--provenance` is missing. */
const rehearsals: [string, string][] = [
  ["npm publish --provenance", "npm publish --dry-run"],
  ["gh release create", "ls"],
  ['"$GITHUB_REF_NAME" --verify-tag --notes-file', ""],
  ["gh auth setup-git && ", ""],
  ['"https://github.com/$GH_REPO"', '"$SCRATCH/provider.git"'],
];

const rehearsed = (command: string) =>
  rehearsals.reduce((text, [real, rehearsal]) => text.replace(real, rehearsal), command);

describe.skipIf(!campaign)("every step of the release workflow, without publishing:", () => {
  const scratch = folderOfFile();
  let key: OpenPgpKey;
  const [clone, remote] = [join(scratch, "clone"), join(scratch, "remote.git")];

  /** Runs a step as a workflow's shell does. */
  function run(command: string, cwd: string, more: Record<string, string> = {}) {
    const { NODE_OPTIONS: _, VITEST: __, CAMPAIGN: ___, npm_config_local_prefix: ____, ...inherited } = process.env;
    const env = { ...inherited, INIT_CWD: cwd, SCRATCH: scratch, GITHUB_REF_NAME: `v${version}`, ...more };
    const { status, stdout, stderr } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", command], {
      cwd,
      env,
      encoding: "utf8",
    });
    return { status, stdout, output: `${stdout}${stderr}` };
  }

  /** Clones the last commit, and adds a release's commit and tag. The clone has its own remote. */
  beforeAll(() => {
    key = new OpenPgpKey();
    const made = run(
      `git clone -q --bare "${projectRoot}" "${remote}" && git clone -q "${remote}" "${clone}" && git init -q --bare provider.git`,
      scratch,
    );
    expect(made.status, made.output).toBe(0);
    for (const [page, written, released] of [
      ["CHANGELOG.md", "## Unreleased", `## ${version} - 2026-01-01`],
      ["README.md", /^.*Not published yet.*\n/m, ""],
      ["SECURITY.md", /^Fingerprint: .*\n/m, fingerprintLine(key.fingerprint)],
    ] as const) {
      const text = readFileSync(join(clone, page), "utf8");
      writeFileSync(join(clone, page), text.replace(written, released));
    }
    const identity = "-c user.name=test -c user.email=test@example.com";
    const tagged = run(`git ${identity} commit -qam "Release" && git tag -f v${version}`, clone);
    expect(tagged.status, tagged.output).toBe(0);
    const twine = run(`python3 -m venv "$SCRATCH/venv" && "$SCRATCH/venv/bin/pip" install -q twine==6.2.0`, scratch);
    expect(twine.status, twine.output).toBe(0);
  }, 300_000);

  it.each(commands.map((step) => [commandOf(step) ?? "", step.env ?? {}] as const))(
    "%s",
    (command, env) => {
      const signing = "RELEASE_SIGNING_KEY" in env ? { RELEASE_SIGNING_KEY: key.privateKey } : {};
      const { status, stdout, output } = run(rehearsed(command), clone, { ...env, ...signing });
      // The audit may fail if the registry does not answer.
      const isAudit = command === "npm run release:check" && /^audit: .*has answered nothing/m.test(stdout);
      expect(isAudit ? stdout.match(/^(?!audit)[a-z]+: .*/gm) : null, output).toBeNull();
      expect(isAudit ? 0 : status, output).toBe(0);
    },
    2_400_000,
  );
});
