import { dynamicProviders } from "../../provider";
import type { DynamicProvider } from "../../provider/hosts/dynamic/dynamicProvider";
import type { ResourceName } from "../../provider/resources/index";

/** A resource as the SDK's dynamic provider is served with it. */
export function servedResource(name: ResourceName): DynamicProvider {
  const found = dynamicProviders[name];
  if (found === undefined) {
    throw new Error(`there is no ${name}`);
  }
  return found;
}
