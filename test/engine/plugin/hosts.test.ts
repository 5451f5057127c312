import { yaml } from "./hosts";
import { lifecycleOn } from "./suite";

// YAML represents all languages of the plugin. The tests in test/engine/lifecycle use the dynamic provider.
lifecycleOn(yaml);
