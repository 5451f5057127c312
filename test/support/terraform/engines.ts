import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../campaign";

type Engine = readonly [name: string, command: () => Promise<string>];

/**
 * The engines that the campaign downloads or builds. The Terraform on PATH may be too old for some features, such as
 * actions.
 */
export const built: readonly Engine[] = [
  ["the newest terraform", () => getTool("terraform")],
  ["tofu", () => getTool("tofu")],
];

/**
 * The engines to test: Terraform on PATH, and in the campaign also the newest Terraform that can be built, and
 * OpenTofu.
 */
export const engines: readonly Engine[] = [["terraform", async () => "terraform"], ...(campaign ? built : [])];
