import { schemes } from "../provider/storage/destination";
import type { Scheme } from "../provider/storage/scheme";

/** The optional packages of the stores, by which npm installs them. */
export const storagePackages = Object.values<Scheme<unknown>>(schemes).flatMap(
  ({ library }) => library?.package.install ?? [],
);
