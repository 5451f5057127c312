import { yaml } from "./hosts";
import { lifecycleOn } from "./suite";

// YAML stands for all languages of the plugin; test/engine/lifecycle holds the dynamic provider.
lifecycleOn(yaml);
