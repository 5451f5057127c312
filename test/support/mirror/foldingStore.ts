import { FileStore } from "../../../provider/storage/file/store";
import type { ObjectInfo, PutOptions, Store } from "../../../provider/storage/store";
import { never } from "../clientUnderTest";

/**
 * A folder that treats names of different case as equal, as file systems of macOS and Windows do. The tests cannot rely
 * on a machine that can mount one.
 */
export class FoldingStore implements Store {
  readonly #store: FileStore;

  constructor(folder: string) {
    this.#store = new FileStore({ kind: "file", folder }, never);
  }

  put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<ObjectInfo> {
    return this.#store.put(name.toLowerCase(), content, options);
  }

  async stat(names: readonly string[]): Promise<Map<string, ObjectInfo>> {
    const found = await this.#store.stat(names.map((name) => name.toLowerCase()));
    const seen = names.map((name) => [name, found.get(name.toLowerCase())] as const);
    return new Map(seen.filter((entry): entry is [string, ObjectInfo] => entry[1] !== undefined));
  }

  sha256(name: string): Promise<string | undefined> {
    return this.#store.sha256(name.toLowerCase());
  }

  read(name: string, maxBytes: number): Promise<string | undefined> {
    return this.#store.read(name.toLowerCase(), maxBytes);
  }

  content(name: string): AsyncGenerator<Buffer> {
    return this.#store.content(name.toLowerCase());
  }

  list(begin?: string): AsyncGenerator<string> {
    return this.#store.list(begin?.toLowerCase());
  }

  remove(names: readonly string[]): Promise<void> {
    return this.#store.remove(names.map((name) => name.toLowerCase()));
  }

  address(name: string): string {
    return this.#store.address(name);
  }

  close(): void {}
}
