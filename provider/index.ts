import { dynamicProvider } from "./hosts/dynamic/dynamicProvider";
import { resources } from "./resources/index";

/**
 * Exports each resource, by its name, for the SDK's dynamic provider. The text in every stack's state (sdk/resource.ts)
 * requires these names, so they can never change.
 */
export const dynamicProviders = Object.fromEntries(
  Object.entries(resources).map(([name, resource]) => [name, dynamicProvider(resource)]),
);
