import { openStore, parseDestination } from "../storage/destination";
import type { ImageStore } from "../storage/imageStore";
import type { StoreOptions } from "../storage/scheme";
import type { Store } from "../storage/store";
import { readFileList } from "./layouts/fileList";
import { readRecord } from "./layouts/imageRecord";
import { recordTagOf } from "./layouts/imageTags";
import type { RecordFacts } from "./layouts/record";

/**
 * A bundle that a destination lists. The listing proves nothing, because anyone who may write to the destination can
 * list a bundle.
 */
type ArchivedJob = Pick<RecordFacts, "jobId" | "mirroredAt" | "owner">;

/** The largest number of bundles to read. It is limited, because each bundle costs a request. */
const mostRead = 200;

/**
 * Lists the bundles that mirrors have left at a destination.
 * @throws one of the errors in `support/errors`.
 */
export async function archivedJobs(address: string, options: StoreOptions): Promise<ArchivedJob[]> {
  const destination = parseDestination(address);
  if ("problem" in destination) {
    return [];
  }
  const store = await openStore(destination, options);
  const found: ArchivedJob[] = [];
  try {
    for (const read of await ("tags" in store ? recordsIn(store) : listsIn(store))) {
      const facts = await read();
      if (facts !== undefined && facts !== "unreadable") {
        const { jobId, mirroredAt, owner } = facts;
        found.push({ jobId, mirroredAt, owner });
      }
    }
    return found;
  } finally {
    store.close();
  }
}

async function listsIn(store: Store) {
  const names: string[] = [];
  for await (const name of store.list()) {
    if (/^[^/]+\.json$/.test(name) && names.length < mostRead) {
      names.push(name);
    }
  }
  return names.map((name) => () => readFileList(store, name));
}

async function recordsIn(store: ImageStore) {
  const tags = new Set(await store.tags());
  const recorded = [...tags].filter((tag) => tags.has(recordTagOf(tag))).slice(0, mostRead);
  return recorded.map((tag) => () => readRecord(store, tag));
}
