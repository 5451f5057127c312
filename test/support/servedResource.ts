import { type DynamicProvider, dynamicProvider } from "../../provider/hosts/dynamic/dynamicProvider";
import { type ResourceName, resources } from "../../provider/resources/index";

/**
 * Returns the dynamic provider of a resource, as a new process would have it. A provider reads its settings only once,
 * so a test cannot use another test's provider.
 */
export function servedResource(name: ResourceName): DynamicProvider {
  return dynamicProvider(resources[name]);
}
