import { type DynamicProvider, dynamicProvider } from "../../provider/hosts/dynamic/dynamicProvider";
import { type ResourceTypeName, resources } from "../../provider/resources/index";

/** A provider reads its settings only once, so each test needs its own provider. */
export function servedResource(name: ResourceTypeName): DynamicProvider {
  return dynamicProvider(resources[name]);
}
