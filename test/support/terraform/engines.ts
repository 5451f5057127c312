import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../campaign";

type Engine = readonly [name: string, command: () => Promise<string>];

/** What is built for the campaign: actions and identities are newer than the Terraform that may be on PATH. */
export const built: readonly Engine[] = [
  ["the newest terraform", () => getTool("terraform")],
  ["tofu", () => getTool("tofu")],
];

/** Terraform on PATH; in the campaign its newest release that can be built, and OpenTofu, too. */
export const engines: readonly Engine[] = [["terraform", async () => "terraform"], ...(campaign ? built : [])];
