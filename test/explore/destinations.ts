import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { mirrorIn } from "../../provider/mirror/openMirror";
import { Places } from "../../provider/mirror/places";
import type { DownloadParts } from "../../provider/mirror/transfer/download";
import { loadMirrorLibrary, type MirrorLibrary } from "../../provider/resources/mirrorLibrary";
import { type Destination, parseDestination } from "../../provider/storage/destination";
import type { ObjectInfo, PutOptions, Store } from "../../provider/storage/store";
import { stopError } from "../../provider/support/abort";
import { DestinationError, DownloadError, InterruptedError } from "../../provider/support/errors";
import { bundleBytesOf, bundleBytesPackedAnew } from "./bundles";
import type { Machine, Process } from "./machine";

/** The faults of the places of mirrors. Each costs one fault. */
export interface DestinationHabits {
  /** A step fails. */
  fails?: boolean;
  /** A file is stored or removed, and the answer is lost. */
  losesAnswers?: boolean;
  /** The transfer from the platform's storage breaks off. */
  breaksOff?: boolean;
  /** The platform packs the bundle of a job anew for each transfer. */
  packsAnew?: boolean;
  /** Files of others that are there before. */
  others?: readonly string[];
}

const lost = "done, and answered 503";
const failing = "fails";
const broken = "breaks off";

const disturbed = "the destination, disturbed by the explorer,";

/** Returns true for an error of this model, after which a person only runs again. */
export function isDisturbance(text: string): boolean {
  return text.includes(disturbed);
}

interface File {
  bytes: Buffer;
  revision: string;
}

/** Folders and buckets, with the storage from which bundles come. */
export class ModelDestinations {
  readonly lasting = ["files", "torn", "operations", "writes", "packings"];
  /** By the place and the name. */
  readonly files = new Map<string, File>();
  /** Each moment at which somebody could have found an archive without the files beside it. */
  readonly torn = new Set<string>();
  /** The number of steps that processes have taken at the places. */
  operations = 0;
  packings = 0;
  readonly habits: DestinationHabits;
  readonly #machine: Machine;
  readonly #places = new WeakMap<Process, Places>();
  readonly #ended = Promise.withResolvers<never>();
  /** The number of writes since the beginning. */
  writes = 0;

  constructor(machine: Machine, habits: DestinationHabits = {}) {
    this.#machine = machine;
    this.habits = habits;
    this.#ended.promise.catch(() => {});
    for (const name of habits.others ?? []) {
      this.files.set(name, { bytes: Buffer.from("theirs"), revision: "theirs" });
    }
  }

  /** A process's access to them. */
  async libraryOf(process: Process): Promise<MirrorLibrary> {
    const places = this.#places.get(process) ?? new Places();
    this.#places.set(process, places);
    return {
      ...(await loadMirrorLibrary()),
      openMirror: (destination, layout, { signal }) =>
        mirrorIn(this.storeOf(destination, signal, process), {
          destination,
          layout,
          places,
          holder: this.#machine.leaseHolderOf(process),
        }),
      openDownload: (parts) => this.#download(process, parts),
    };
  }

  /** @param process takes the steps. Without a process, no operation is a step. */
  storeOf(destination: Destination, signal: AbortSignal, process?: Process): Store {
    return new DestinationStore(this, destination, signal, process);
  }

  /** Files that a killed process has opened are closed. */
  end(): void {
    this.#ended.reject(new Error("the story has ended"));
  }

  write(name: string, bytes: Buffer, isBucket: boolean): ObjectInfo {
    const revision = isBucket ? createHash("md5").update(bytes).digest("hex") : `write ${++this.writes}`;
    this.#machine.changes++;
    this.files.set(name, { bytes, revision });
    this.#look();
    return { sizeBytes: bytes.length, revision };
  }

  remove(name: string): void {
    this.#machine.changes++;
    this.files.delete(name);
    this.#look();
  }

  #look(): void {
    for (const name of this.files.keys()) {
      const beside = [`${name}.sha256`, name.replace(/\.tar$/, ".json")];
      if (name.endsWith(".tar") && !beside.every((one) => this.files.has(one))) {
        this.torn.add(name);
      }
    }
  }

  step<T>(process: Process | undefined, label: string, take: () => T, changes = false): Promise<T> {
    if (process === undefined) {
      return Promise.resolve(take());
    }
    const { fails, losesAnswers } = this.habits;
    const faults = [...(fails ? [failing] : []), ...(losesAnswers && changes ? [lost] : [])];
    const taken = (fault: string | undefined): T => {
      this.operations++;
      const result = fault === failing ? undefined : take();
      if (fault !== undefined) {
        throw new DestinationError({ happened: `${disturbed} ${fault}`, remedy: "run `pulumi up` again." });
      }
      return result as T;
    };
    return Promise.race([this.#machine.step(process, label, taken, faults), this.#ended.promise]);
  }

  #download(process: Process, { mint, signal }: DownloadParts): ReturnType<MirrorLibrary["openDownload"]> {
    const receive = async (label: string) => {
      const faults = this.habits.breaksOff ? [broken] : [];
      const take = (fault: string | undefined) => {
        if (signal.aborted) {
          throw new InterruptedError();
        }
        if (fault !== undefined) {
          throw new DownloadError({ happened: `the storage ${fault}`, remedy: "run `pulumi up` again." });
        }
      };
      await Promise.race([this.#machine.step(process, label, take, faults), this.#ended.promise]);
    };
    return {
      open: async () => {
        const job = new URL(await mint()).pathname.slice(1);
        const bundle = await (this.habits.packsAnew ? bundleBytesPackedAnew(job, ++this.packings) : bundleBytesOf(job));
        const half = bundle.length / 2;
        async function* chunks() {
          await receive(`receives half of ${job}`);
          yield bundle.subarray(0, half);
          await receive(`receives the rest of ${job}`);
          yield bundle.subarray(half);
        }
        return { expectedBytes: bundle.length, chunks: chunks() };
      },
      close: async () => {},
    };
  }
}

/** The begin of the names of all files of a place. */
export function placeOf(destination: Destination): string {
  switch (destination.kind) {
    case "file":
      return `${destination.folder}/`;
    case "s3":
      return `${destination.bucket}/${destination.prefix}`;
    default:
      throw new Error("no model of a registry");
  }
}

export function parsedPlace(text: unknown): Destination {
  const destination = parseDestination(String(text));
  if ("problem" in destination) {
    throw new Error(destination.problem);
  }
  return destination;
}

/** One folder or bucket, for one process. */
class DestinationStore implements Store {
  readonly #all: ModelDestinations;
  readonly #signal: AbortSignal;
  readonly #process: Process | undefined;
  readonly #place: string;
  readonly #isBucket: boolean;

  constructor(all: ModelDestinations, destination: Destination, signal: AbortSignal, process: Process | undefined) {
    this.#all = all;
    this.#signal = signal;
    this.#process = process;
    this.#place = placeOf(destination);
    this.#isBucket = destination.kind === "s3";
  }

  async put(name: string, content: AsyncIterable<Buffer>, { signal }: PutOptions): Promise<ObjectInfo> {
    const bytes = await buffer(content);
    if (signal.aborted) {
      throw stopError(signal);
    }
    return this.#step(`puts ${name}`, () => this.#all.write(this.#place + name, bytes, this.#isBucket), true);
  }

  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>> {
    return this.#step(`looks at ${names.length} files`, () => {
      const found = names.flatMap((name): [string, ObjectInfo][] => {
        const { bytes, revision } = this.#file(name) ?? {};
        return bytes === undefined ? [] : [[name, { sizeBytes: bytes.length, revision: revision ?? "" }]];
      });
      return new Map(found);
    });
  }

  /** Returns undefined for a bucket, which does not know it. */
  async sha256(name: string): Promise<string | undefined> {
    return this.#isBucket
      ? undefined
      : this.#step(`measures ${name}`, () =>
          createHash("sha256")
            .update(this.#file(name)?.bytes ?? "")
            .digest("hex"),
        );
  }

  async *list(begin = ""): AsyncGenerator<string> {
    yield* await this.#step(begin === "" ? "lists the destination" : `lists ${begin}*`, () =>
      [...this.#all.files.keys()]
        .filter((name) => name.startsWith(this.#place + begin))
        .map((name) => name.slice(this.#place.length))
        .sort(),
    );
  }

  read(name: string): Promise<string | undefined> {
    return this.#step(`reads ${name}`, () => this.#file(name)?.bytes.toString());
  }

  async *content(name: string): AsyncGenerator<Buffer> {
    yield await this.#step(`reads ${name}`, () => this.#file(name)?.bytes ?? Buffer.alloc(0));
  }

  async remove(names: readonly string[], signal = this.#signal): Promise<void> {
    for (const name of names) {
      if (this.#isBucket && signal.aborted) {
        throw stopError(signal);
      }
      await this.#step(`removes ${name}`, () => this.#all.remove(this.#place + name), true);
    }
  }

  address(name: string): string {
    return `https://${this.#place}${name}`;
  }

  close(): void {}

  #file(name: string) {
    return this.#all.files.get(this.#place + name);
  }

  /** A folder notices the end of a run only while it writes or measures. */
  async #step<T>(label: string, take: () => T, changes = false): Promise<T> {
    if (this.#isBucket && this.#signal.aborted && !changes) {
      throw stopError(this.#signal);
    }
    return this.#all.step(this.#process, label, take, changes);
  }
}
