import { type DynamicProvider, dynamicProvider } from "../../provider/hosts/dynamic/dynamicProvider";
import { type ResourceName, resources } from "../../provider/resources/index";

/** Returns the dynamic provider of a resource as in a new process, because a provider reads its settings once. */
export function servedResource(name: ResourceName): DynamicProvider {
  return dynamicProvider(resources[name]);
}
