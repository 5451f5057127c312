import { destinationSchemes } from "../provider/storage/destination";
import type { DestinationScheme } from "../provider/storage/scheme";

export const storagePackages = Object.values<DestinationScheme<unknown>>(destinationSchemes).flatMap(
  ({ library }) => library?.package.install ?? [],
);
