import { yaml } from "./hosts";
import { lifecycleOn } from "./suite";

// These tests use YAML for all languages of the plugin. The tests in test/engine/lifecycle use the dynamic provider.
lifecycleOn(yaml);
