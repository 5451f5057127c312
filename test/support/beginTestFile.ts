import { forgetSecrets } from "../../provider/support/redact";

forgetSecrets();
