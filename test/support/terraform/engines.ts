import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../campaign";

type Engine = readonly [name: string, command: () => Promise<string>];

/** The engines that the campaign builds, because the Terraform on PATH may be older than actions. */
export const built: readonly Engine[] = [
  ["the newest terraform", () => getTool("terraform")],
  ["tofu", () => getTool("tofu")],
];

/** Terraform on PATH. In the campaign also its newest release that can be built, and OpenTofu. */
export const engines: readonly Engine[] = [["terraform", async () => "terraform"], ...(campaign ? built : [])];
