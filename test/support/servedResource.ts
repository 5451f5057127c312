import { type DynamicProvider, dynamicProvider } from "../../provider/hosts/dynamic/dynamicProvider";
import { type ResourceName, resources } from "../../provider/resources/index";

/** The dynamic provider of a resource, as a new process has it: a provider reads its settings once. */
export function servedResource(name: ResourceName): DynamicProvider {
  return dynamicProvider(resources[name]);
}
