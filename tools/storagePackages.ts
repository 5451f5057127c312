import { schemes } from "../provider/storage/destination";
import type { Scheme } from "../provider/storage/scheme";

export const storagePackages = Object.values<Scheme<unknown>>(schemes).flatMap(
  ({ library }) => library?.package.install ?? [],
);
