import { setting } from "../../settings/settingTable";

/**
 * The name of this configuration in the journal. It is needed if the folder differs from run to run, or if
 * configurations that share a journal have equal folders. Each workspace counts separately. Default: the folder.
 */
export const journalScope = setting<string | undefined>("journalScope", (text) => text, { optional: true });
