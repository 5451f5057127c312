import { plain } from "./hosts";
import { lifecycleOn } from "./suite";

lifecycleOn(plain);
