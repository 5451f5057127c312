import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../campaign";

type Engine = readonly [name: string, command: () => Promise<string>];

/** The campaign builds these engines, because the Terraform on PATH may lack features such as actions. */
export const built: readonly Engine[] = [
  ["the newest terraform", () => getTool("terraform")],
  ["tofu", () => getTool("tofu")],
];

export const engines: readonly Engine[] = [["terraform", async () => "terraform"], ...(campaign ? built : [])];
