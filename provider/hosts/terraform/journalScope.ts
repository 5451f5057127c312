import type { Setting } from "../../settings/settingTable";

/**
 * A name of this configuration for the journal, where its folder is another one in another run, or the same for several
 * configurations that share a journal. Each workspace of it is one of its own. Default: the folder.
 */
export const journalScope: Setting<string | undefined> = {
  name: "journalScope",
  variable: "DOCS_PLATFORM_JOURNAL_SCOPE",
  optional: true,
  parse: (text) => text,
};
