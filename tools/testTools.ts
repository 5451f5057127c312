import { buildActionlint } from "./actionlint/buildActionlint";
import { buildHelm } from "./helm/buildHelm";
import { buildApiServer, buildControllerManager, buildEtcd, buildKubeconform } from "./kubernetes/buildKubernetes";
import { buildLanguageHost } from "./languages/buildLanguageHosts";
import { executablesOnPath } from "./pulumi/executables";
import { findPulumi } from "./pulumi/findPulumi";
import { Interrupted } from "./pulumi/interrupt";
import { installSchemathesis } from "./schemathesis/installSchemathesis";
import { buildToxiproxy } from "./toxiproxy/buildToxiproxy";
import { buildVersitygw } from "./versitygw/buildVersitygw";

/** Something that tests run and that npm does not bring; where it comes from, and what must be on PATH for that. */
interface TestTool {
  name: string;
  needs?: "go" | "python3";
  get(): Promise<unknown>;
}

const testTools: readonly TestTool[] = [
  { name: "Pulumi", get: findPulumi },
  { name: "the YAML host", needs: "go", get: () => buildLanguageHost("yaml") },
  { name: "Toxiproxy", needs: "go", get: buildToxiproxy },
  { name: "Versity S3 Gateway", needs: "go", get: buildVersitygw },
  { name: "actionlint", needs: "go", get: buildActionlint },
  { name: "Helm", needs: "go", get: buildHelm },
  { name: "kubeconform", needs: "go", get: buildKubeconform },
  { name: "etcd", needs: "go", get: buildEtcd },
  { name: "the Kubernetes API server", needs: "go", get: buildApiServer },
  { name: "the Kubernetes controllers", needs: "go", get: buildControllerManager },
  { name: "Schemathesis", needs: "python3", get: installSchemathesis },
];

/**
 * Gets everything that tests run, one after another, before any of them: a build of minutes would use up the time limits
 * of all tests that run beside it. What the machine cannot make for want of `go` or `python3` is left to the tests, which
 * say that they are skipped for it.
 * @returns the problem of each tool that could not be had.
 */
export async function getTestTools(): Promise<string[]> {
  const problems: string[] = [];
  const possible = testTools.filter(({ needs }) => needs === undefined || executablesOnPath(needs).length > 0);
  for (const { name, get } of possible) {
    const begin = Date.now();
    try {
      await get();
      console.log(`${name}: ${Math.round((Date.now() - begin) / 1_000)} s`);
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return problems;
}
