import { yaml } from "./hosts";
import { lifecycleOn } from "./suite";

lifecycleOn(yaml);
