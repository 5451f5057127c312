import { catalogue, type Tool } from "./catalogue";
import { neededBy } from "./neededBy";
import { pinnedVersion } from "./pins";

/** The table of tools/README.md: a line for each tool, in the order of the catalogue. */
export function toolTable(): string {
  const rows = (catalogue as readonly Tool[]).map((tool) => [
    tool.name,
    pinnedVersion(tool),
    `[${tool.pins}](pins/${tool.pins})`,
    tool.builtBy,
    String(tool.minutes),
    [
      ...neededBy(tool.name as (typeof catalogue)[number]["name"]),
      ...(tool.campaignOnly ? ["(campaign only)"] : []),
    ].join(", "),
  ]);
  const head = ["tool", "version", "pins", "built by", "minutes", "needed by"];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
