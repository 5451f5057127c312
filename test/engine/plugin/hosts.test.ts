import { yaml } from "./hosts";
import { lifecycleOn } from "./suite";

// All languages use the same plugin, so these tests run only a YAML program. The tests in test/engine/lifecycle use the
// dynamic provider.
lifecycleOn(yaml);
