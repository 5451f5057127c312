import type { Setting } from "../../settings/settingTable";

/**
 * The name of this configuration in the journal. It is needed if the folder differs from run to run, or if
 * configurations that share a journal have equal folders. Each workspace counts separately. Default: the folder.
 */
export const journalScope: Setting<string | undefined> = {
  name: "journalScope",
  variable: "DOCS_PLATFORM_JOURNAL_SCOPE",
  optional: true,
  parse: (text) => text,
};
