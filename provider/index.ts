import { dynamicProvider } from "./hosts/dynamic/dynamicProvider";
import { resources } from "./resources/index";

/** The state of every stack contains these names (sdk/resource.ts), so they can never change. */
export const dynamicProviders = Object.fromEntries(
  Object.entries(resources).map(([name, resource]) => [name, dynamicProvider(resource)]),
);
