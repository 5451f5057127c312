import { dynamicProvider } from "./hosts/dynamic/dynamicProvider";
import { resources } from "./resources/index";

/**
 * Exports each resource by its name, for the SDK's dynamic provider. Every stack's state contains a text that uses
 * these names (sdk/resource.ts), so they can never change.
 */
export const dynamicProviders = Object.fromEntries(
  Object.entries(resources).map(([name, resource]) => [name, dynamicProvider(resource)]),
);
