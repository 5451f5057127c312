import { DestinationError } from "../support/errors";
import { words } from "../support/words";

/** Without these limits, a hostile server or another user of the place could make a listing endless. */
const limits = {
  /** A page of an object storage has up to 1,000 names, and on some servers fewer. */
  pages: 500,
  /** A site has at most 100,000 files. During an update, the place has the files of two versions. */
  names: 250_000,
  characters: 32 * 1024 ** 2,
};

export class ListingSizeLimiter {
  readonly #count = { pages: 0, names: 0, characters: 0 };

  constructor(private readonly place: string) {}

  addPage(): void {
    this.#add("pages", 1);
  }

  addName(name: string): void {
    this.#add("names", 1);
    this.#add("characters", name.length);
  }

  #add(what: keyof typeof limits, count: number): void {
    this.#count[what] += count;
    if (this.#count[what] > limits[what]) {
      throw new DestinationError({
        happened: `${this.place} lists more than ${limits[what]} ${what}`,
        remedy: `give a folder or a prefix of its own, without files of others, or remove what is not needed there; then run \`${words.run}\` again.`,
      });
    }
  }
}
