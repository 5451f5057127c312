import { homedir } from "node:os";

/** What the user set for other work (a target system, a workspace, flags) must not leak into this build. */
export function goEnvironment(work: string): NodeJS.ProcessEnv {
  const systems: Record<string, string> = { win32: "windows" };
  const processors: Record<string, string> = { x64: "amd64", ia32: "386" };
  return {
    HOME: process.env.HOME ?? homedir(),
    GOFLAGS: "-mod=readonly",
    CGO_ENABLED: "0",
    GOWORK: "off",
    GOOS: systems[process.platform] ?? process.platform,
    GOARCH: processors[process.arch] ?? process.arch,
    // In the scratch folder, what a killed build leaves is removed with the rest.
    GOTMPDIR: work,
  };
}
