import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../campaign";

type Engine = readonly [name: string, command: () => Promise<string>];

/** The campaign builds these, because actions are newer than the Terraform that may be on PATH. */
export const built: readonly Engine[] = [
  ["the newest terraform", () => getTool("terraform")],
  ["tofu", () => getTool("tofu")],
];

/** Terraform on PATH; in the campaign also its newest release that can be built, and OpenTofu. */
export const engines: readonly Engine[] = [["terraform", async () => "terraform"], ...(campaign ? built : [])];
