import type { Channel } from "./channel";
import { npm } from "./npm";
import { releasePage } from "./releasePage";
import { terraform } from "./terraform";

/** Every channel of a release, in the order of the table that `npm run release:check` prints. */
export const channels: readonly Channel[] = [npm, terraform, releasePage];
