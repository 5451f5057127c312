import { dynamicProviders } from "../../provider";
import type { DynamicProvider } from "../../provider/hosts/dynamic/dynamicProvider";
import type { ResourceName } from "../../provider/resources/index";

/** The dynamic provider that the SDK registers for a resource. */
export function servedResource(name: ResourceName): DynamicProvider {
  const found = dynamicProviders[name];
  if (found === undefined) {
    throw new Error(`there is no ${name}`);
  }
  return found;
}
