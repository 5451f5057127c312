import { schemes } from "../provider/storage/destination";
import type { Scheme } from "../provider/storage/scheme";

/** The names of the optional packages of all stores, as npm installs them. */
export const storagePackages = Object.values<Scheme<unknown>>(schemes).flatMap(
  ({ library }) => library?.package.install ?? [],
);
