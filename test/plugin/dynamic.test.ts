import { dynamic } from "./hosts";
import { lifecycleOn } from "./suite";

lifecycleOn(dynamic);
