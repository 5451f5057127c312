import type { Channel } from "./channel";
import { go } from "./go";
import { java } from "./java";
import { npm } from "./npm";
import { pulumi } from "./pulumi";
import { python } from "./python";
import { releasePage } from "./releasePage";
import { terraform } from "./terraform";

export const channels: readonly Channel[] = [npm, pulumi, python, go, java, terraform, releasePage];
