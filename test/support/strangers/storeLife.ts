import type { BundleMirrorInputs, BundleMirrorState } from "../../../provider/definitions/bundleMirror";
import { DocsPlatformError } from "../../../provider/support/errors";
import { archiveWith, type Files } from "../../unit/provider/mirror/archive/archives";
import { mirrorWorld } from "../mirror/mirrorWorld";
import { keyForTest } from "../mirror/signatures";
import { sha256Of, storageReply } from "../mirror/storage";
import { seededRandom } from "../random";
import { SavedFailure, throwingLifecycles } from "../throwingLifecycles";
import { storeFront } from "./storeFront";
import type { StrangePlace } from "./storePlaces";
import { type Occasion, occasions, type StoreFamily } from "./stores";

const { bundleMirror } = throwingLifecycles;

/** With so many files, the mirror reads the list of the whole place, and does not ask for each file. */
const assets = Array.from({ length: 6 }, (_, at): [string, string] => [`assets/${at} (é).css`, `h${at} {}`]);
const versions: readonly Files[] = [
  [["index.html", "<h1>One</h1>"], ["guide/start.html", "Start"], ["guide/old.html", "Old"], ...assets],
  [["index.html", "<h1>Two</h1>"], ["guide/start.html", "Start again"], ["guide/new.html", "New"], ...assets.slice(2)],
];
const bundles = Promise.all(versions.map((files) => archiveWith("tar.gz", files)));

/** The largest number of requests in one run, and the longest sum of its pauses in milliseconds. */
const most = { requests: 400, rest: 31 * 60_000 };

export interface StoreLife {
  place: StrangePlace;
  family: StoreFamily;
  /** The run in which the unusual behaviour begins. By default, the seed decides. */
  occasion?: Occasion | undefined;
  seed: number;
}

/** Plays the life of a mirror on a store. In one run, the store has an unusual behaviour. */
export async function playLife({ place, family, occasion: wanted, seed }: StoreLife) {
  const random = seededRandom(seed);
  const archives = await bundles;
  let version = 0;
  const settings = place.holdsImages ? { signingKey: keyForTest().source } : {};
  const world = await mirrorWorld(
    [(response, seen) => storageReply(archives[version] as Buffer)(response, seen)],
    settings,
  );
  const { clock, context } = world;
  const front = await storeFront(() => place.target);
  const secrets = place.secrets;
  const drawn = family({ random, secrets });
  const possible = drawn.occasions ?? occasions;
  const occasion = wanted ?? random.pick(possible);
  if (!possible.includes(occasion)) {
    return { isMet: false, text: "", troubles: [] };
  }
  const layout = drawn.layout ?? random.pick(["archive", "site"] as const);
  const destination = place.destination(front.url);
  const sign = place.holdsImages && { sign: random.pick(["bundle", "none"] as const) };
  const inputs: BundleMirrorInputs = { ...world.inputs, layout, destination, ...sign };
  const others = { [`others-${seed}.txt`]: "mine" };
  const troubles: string[] = [];
  const require = (isTrue: boolean, text: string) => void (isTrue || troubles.push(text));
  const states: BundleMirrorState[] = [];
  let warnings = 0;

  const publish = async () => {
    const next = { ...inputs, jobId: `job-${version + 1}` };
    const before = states.at(-1);
    try {
      if (before === undefined || layout === "archive") {
        states.push((await bundleMirror.create(next, context)).state);
      } else {
        states.push(await bundleMirror.update("id", states.pop() as BundleMirrorState, next, context));
      }
    } catch (error) {
      // An engine saves the state that the error contains. If there is none, the engine keeps the earlier state.
      states.push(
        ...(error instanceof SavedFailure
          ? [error.state as BundleMirrorState]
          : before && layout === "site"
            ? [before]
            : []),
      );
      throw error;
    }
  };
  const look = async () => {
    const before = states.at(-1);
    if (before !== undefined) {
      const found = await bundleMirror.read("id", before, context);
      require(found !== undefined, "a mirror that exists is missing after a refresh");
      return JSON.stringify(found) === JSON.stringify(before);
    }
    return true;
  };
  const removeAll = async () => {
    for (let state = states.at(-1); state !== undefined; state = states.at(-1)) {
      await bundleMirror.delete("id", state, { ...context, warn: () => void warnings++ });
      states.pop();
    }
  };
  const run = async (what: string, step: () => Promise<unknown>): Promise<Error | undefined> => {
    const [requests, begin] = [front.count, clock.now()];
    const error = await step().then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    const [sent, rested] = [front.count - requests, clock.now() - begin];
    require(sent <= most.requests && rested <= most.rest, `${what}: ${sent} requests, ${rested} ms`);
    if (error !== undefined) {
      const { message } = error;
      const reason = error instanceof SavedFailure ? error.reason : error;
      const isPlain =
        /\n {2}Exists now: .+\n {2}Next run: .+\n {2}What to do: ./.test(message) && message.length < 13_000;
      require(reason instanceof DocsPlatformError && reason.code !== "DOCS_INTERNAL", `${what}: ${error}`);
      require(isPlain && message.includes(place.words), `${what}: an error without its parts: ${message}`);
      require(!secrets.some((secret) => message.includes(secret)), `${what}: a secret is shown: ${message}`);
    }
    const all = await place.all();
    for (const [name, content] of Object.entries(others)) {
      require(all[name]?.includes(content) ?? false, `${what}: ${name} of others is lost`);
    }
    return error;
  };
  const hasContent = async (state: BundleMirrorState | undefined): Promise<boolean> => {
    const all = await place.all();
    if (state === undefined) {
      return false;
    }
    const tag = all[layout === "site" ? "latest" : state.jobId];
    if (state.digest !== undefined) {
      return tag !== undefined && `sha256:${sha256Of(tag)}` === state.digest;
    }
    if (layout === "archive") {
      return sha256Of(Buffer.from(all[place.name(`${state.jobId}.tar.gz`)] ?? "", "latin1")) === state.sha256;
    }
    const wanted = versions[version] ?? [];
    return wanted.every(([path, content]) => Buffer.from(all[place.name(path)] ?? "", "latin1").toString() === content);
  };
  /** Returns the mirror's remaining names. Signatures do not count: an image that stays keeps its signature. */
  const left = async () =>
    Object.keys(await place.all()).filter((name) => !(name in others) && !name.startsWith("sha256-"));
  const expectEnd = (what: string, error: Error | undefined, isSame: boolean) => {
    if (drawn.ends === "well") {
      require(error === undefined && isSame, `${what}: ${error ?? "the content differs"}`);
    } else if (error === undefined) {
      require(drawn.ends === "either" || front.strange === strangeBefore, `${what}: no error`);
      require(isSame || what === "unchanged run", `${what}: no error, and other content`);
    } else if (!isTaken) {
      require(drawn.says?.test(error.message) ?? true, `${what}: it does not say ${drawn.says}: ${error.message}`);
    }
  };

  for (const [name, content] of Object.entries(others)) {
    await place.write(name, content);
  }
  if (occasion !== "first run" && occasion !== "kill") {
    await publish();
  }
  // In some lives, another user has already written a file with a name that the mirror needs.
  const isTaken = occasion === "first run" && random.next() < 0.4;
  const taken = place.taken(layout);
  if (isTaken) {
    await place.write(taken, "taken");
    others[taken] = "taken";
  }
  const { habit } = drawn;
  front.habit = habit;
  let strangeBefore = front.strange;
  if (occasion === "kill") {
    const last = front.count + random.whole(1, 25);
    front.habit = { ...habit, request: (request) => (front.count > last ? "drop" : habit.request?.(request)) };
    await run("killed run", publish);
    front.habit = habit;
    strangeBefore = front.strange;
    const error = await run("run after a kill", publish);
    expectEnd("run after a kill", error, await hasContent(states.at(-1)));
  } else if (occasion === "first run") {
    const error = await run("first run", publish);
    if (isTaken) {
      require(error !== undefined, "first run: what others have written is taken");
    } else {
      expectEnd("first run", error, await hasContent(states.at(-1)));
    }
  } else if (occasion === "unchanged run") {
    let isSame = true;
    const error = await run("unchanged run", async () => {
      isSame = await look();
    });
    expectEnd("unchanged run", error, isSame);
  } else if (occasion === "renewal") {
    version = 1;
    const error = await run("renewal", publish);
    expectEnd("renewal", error, await hasContent(states.at(-1)));
    const all = await place.all();
    const isServed = layout === "archive" || all.latest !== undefined || (all[place.name("index.html")] ?? "") !== "";
    require(isServed, "renewal: the site that served is gone");
  } else {
    const error = await run("removal", removeAll);
    const isGone = (await left()).length === 0;
    // If an image stays in the place, a warning must say so.
    expectEnd("removal", error, drawn.ends === "well" ? isGone && warnings === 0 : isGone || warnings > 0);
  }

  if (drawn.ends === "well" && !isTaken && occasion !== "removal") {
    const isSame = await look().catch(() => false);
    require(isSame, `${occasion}: the run after it changes something or fails, with the habit`);
  }
  const isMet = front.strange > 0;
  front.habit = {};
  if (isTaken) {
    await place.remove(taken);
    delete others[taken];
  }
  version = 1;
  // A warning means that an image stays. The image belongs to no mirror, so the next run would refuse to replace it.
  if (warnings === 0 && occasion !== "unchanged run") {
    const error = await run("next run", async () => {
      const isDone = states.at(-1)?.jobId === "job-2" && (await look());
      await (isDone ? undefined : publish());
    });
    require(error === undefined && (await hasContent(states.at(-1))), `next run: ${error ?? "the content differs"}`);
    require(await look(), "the run after it changes something");
  }
  const error = await run("last removal", removeAll);
  const rest = await left();
  require(error === undefined && (rest.length === 0 || warnings > 0), `last removal: ${error ?? rest}`);
  await Promise.all(Object.keys(others).map((name) => place.remove(name)));
  return {
    isMet,
    text: `${occasion}, seed ${seed}: ${drawn.text}, layout ${layout}${sign && sign.sign === "bundle" ? ", signed" : ""}${isTaken ? ", taken" : ""}`,
    troubles,
  };
}
