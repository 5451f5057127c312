import { dynamicProvider } from "./hosts/dynamic/dynamicProvider";
import { resources } from "./resources/index";

/**
 * Serves each resource, by its name, to the SDK's dynamic provider. The text in every stack's state (sdk/resource.ts) requires
 * one of them: the names can never change again.
 */
export const dynamicProviders = Object.fromEntries(
  Object.entries(resources).map(([name, resource]) => [name, dynamicProvider(resource)]),
);
