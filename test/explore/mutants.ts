/** A bug to put into the provider: a text of a file, and its replacement. */
export interface Mutant {
  name: string;
  file: string;
  from: string;
  to: string;
  /** Whose scripts find it, those of mirrors, or the drawn stories of Terraform; Pulumi's scripts unless told. */
  engine?: "terraform" | "drawn" | "mirrors";
}

const recordedStart = "provider/engine/recordedStart.ts";
const startJournal = "provider/engine/startJournal.ts";
const evidence = "provider/engine/evidence.ts";
const transport = "provider/platform/transport.ts";
const archiveLayout = "provider/mirror/layouts/archiveLayout.ts";
const siteLayout = "provider/mirror/layouts/siteLayout.ts";
const staticExport = "provider/resources/staticExport.ts";

/** The bugs that the explorer must find. */
export const mutants: readonly Mutant[] = [
  {
    name: "no intent is written",
    file: recordedStart,
    from: "await this.#journal.write(this.#own, this.#entry());",
    to: "",
  },
  {
    name: "an evidence of the process itself counts in an update",
    file: evidence,
    from: "!session.touched.has(name) && journal !== undefined",
    to: "journal !== undefined",
  },
  {
    name: "the own entry is not noted as touched",
    file: recordedStart,
    from: "clock.now();\n    this.#session.touched.add(this.#own);",
    to: "clock.now();",
    engine: "terraform",
  },
  {
    name: "the entry of a message that may have been sent is not noted as touched",
    file: recordedStart,
    from: "world;\n    this.#session.touched.add(this.#own);",
    to: "world;",
  },
  {
    name: "an entry that is taken up is not noted as touched",
    file: recordedStart,
    from: "    this.#session.touched.add(name);\n    this.#session.resumed",
    to: "    this.#session.resumed",
  },
  {
    name: "every job counts as saved",
    file: recordedStart,
    from: "const standing = await session.standing(this.#address, id);",
    to: 'const standing = "saved" as string;',
  },
  {
    name: "the state is not asked",
    file: recordedStart,
    from: "const standing = await session.standing(this.#address, id);",
    to: 'const standing = "unsaved" as string;',
  },
  {
    name: "what no state has is given up, although it was never handed over",
    file: recordedStart,
    from: 'standing === "gone" && handedOver',
    to: 'standing === "gone"',
  },
  {
    name: "what was handed over is recorded before the run ends",
    file: "provider/engine/session.ts",
    from: "this.#atTheEnd.push(() => record({ handedOver: true }));",
    to: "await record({ handedOver: true });",
  },
  {
    name: "no second look",
    file: recordedStart,
    from: "find(({ name }) => !seen.has(name))",
    to: "find(({ name }) => !seen.has(name) && name === undefined)",
  },
  {
    name: "a process without an engine sends",
    file: recordedStart,
    from: "if (session.signal.aborted || !(await session.hasEngine())) {",
    to: "if (session.signal.aborted) {",
  },
  {
    name: "the answer is told before the entry is taken back",
    file: recordedStart,
    from: "    await this.#takeBack();\n    this.#session.answered(this);",
    to: "    this.#session.answered(this);\n    await this.#takeBack();",
  },
  {
    name: "a start is noted only once it is recorded",
    file: recordedStart,
    from: "    session.sent(this);\n    try {",
    to: "    void session.allNoted().then(() => setTimeout(() => session.sent(this), 5));\n    try {",
  },
  {
    name: "a refused start is not taken back",
    file: recordedStart,
    from: "  async refused(): Promise<void> {\n    await this.#takeBack();",
    to: "  async refused(): Promise<void> {",
  },
  {
    name: "an intent is not taken back where the run was cancelled",
    file: recordedStart,
    from: "    } catch (error) {\n      await this.#takeBack();\n      throw error;",
    to: "    } catch (error) {\n      throw error;",
  },
  {
    name: "an intent without an answer is passed over",
    file: recordedStart,
    from: "doubtful.push(entry);",
    to: "",
  },
  {
    name: "a process that is about to write its answer is not waited for",
    file: startJournal,
    from: "mayChange = world.isRunning(found.owner)",
    to: "mayChange = found.id === null && world.isRunning(found.owner)",
  },
  {
    name: "what a killed replacement has left is not named",
    file: evidence,
    from: "session.note(dropAbandoned(",
    to: "void (() => dropAbandoned(",
  },
  {
    name: "what failed is not discarded",
    file: recordedStart,
    from: "await this.#drop(this.entry);",
    to: "",
  },
  {
    name: "the id is not recorded",
    file: recordedStart,
    from: "await this.#journal.write(this.#own, this.#accepted);",
    to: "",
  },
  {
    name: "an entry is too old at once",
    file: "provider/journal/journal.ts",
    from: "return Math.abs(now - intendedAt) >= longestAge;",
    to: "return now >= intendedAt || longestAge > 0;",
  },
  {
    name: "a lost answer counts as a refusal",
    file: transport,
    from: "    return result.sent;",
    to: "    return result.sent && route === undefined;",
  },
  {
    name: "a doubtful start is taken back",
    file: transport,
    from: "if (!isDoubtful(route, result, retryAfter)) {\n        await once",
    to: "if (once !== undefined) {\n        await once",
  },
  {
    name: "an earlier start is started again",
    file: staticExport,
    from: "if (!(error instanceof EarlierStartError)) {",
    to: 'if (error instanceof EarlierStartError) {\n      await start.discard("failed");\n      return startNew(inputs, start, limit, context);\n    }\n    if (!(error instanceof EarlierStartError)) {',
  },
  {
    name: "the end waits for no answer",
    file: "provider/engine/session.ts",
    from: "await Promise.all([...this.#inFlight.values()].map(({ answered }) => answered));",
    to: "",
  },
  {
    name: "nothing tells that a job ended before Terraform was given it",
    file: "provider/engine/apply.ts",
    from: "await session.handOver(applied.problem !== undefined, (how) => starts.handedOver(how));",
    to: "",
    engine: "terraform",
  },
  {
    name: "a job that ended is taken up in Terraform",
    file: recordedStart,
    from: 'standing === "gone" && handedOver',
    to: 'standing === "gone" && handedOver && id === name',
    engine: "terraform",
  },
  {
    name: "of equal resources eight are told apart",
    file: startJournal,
    from: ".filter(isWanted);",
    to: ".filter(isWanted).slice(0, 8);",
    engine: "terraform",
  },
  {
    name: "an adoption settles nothing",
    file: recordedStart,
    from: "await this.#drop(...settled.map(({ name }) => name));",
    to: "",
    engine: "terraform",
  },
  {
    name: "each of equal resources asks about all lost answers",
    file: recordedStart,
    from: "doubtful.length = 0;\n          break;",
    to: "",
    engine: "terraform",
  },
  {
    name: "what another resource of the same address has taken is free",
    file: recordedStart,
    from: "return this.#session.sharesAddresses && this.#session.touched.has(name);",
    to: "return false as boolean;",
    engine: "terraform",
  },
  {
    name: "the scope of a configuration does not count",
    file: "provider/hosts/terraform/terraformSession.ts",
    from: '["scope", scope]',
    to: "[realpathSync(folder)]",
    engine: "terraform",
  },
  {
    name: "an object that is tainted while its job runs is not remembered",
    file: "provider/hosts/terraform/resourceCalls.ts",
    from: "await recordUnderWay(this.#session, place, state, id);",
    to: "",
    engine: "terraform",
  },
  {
    name: "a mirror removes files that others share",
    file: archiveLayout,
    from: "const others = othersIn(there, owner);\n    if (others.length > 0) {",
    to: "const others = othersIn(there, owner);\n    if (others.length > 99) {",
    engine: "mirrors",
  },
  {
    name: "a mirror forgets the others where it writes its list",
    file: archiveLayout,
    from: "[...existing.others, nameOf(owner)], facts, store",
    to: "[nameOf(owner)], facts, store",
    engine: "mirrors",
  },
  {
    name: "mirrors of one place write there at the same time",
    file: "provider/mirror/places.ts",
    from: "await unlessInterrupted(Promise.all(earlier.map((one) => one.ended)), signal);",
    to: "",
    engine: "mirrors",
  },
  {
    name: "an archive is put before the files beside it",
    file: archiveLayout,
    from: "await writeSidecars(owner.jobId, existing.own ? mirrors : existing.others, described, store, signal);",
    to: "",
    engine: "mirrors",
  },
  {
    name: "a failed put leaves its files",
    file: archiveLayout,
    from: "await restoreSidecars(existing, store);",
    to: "",
    engine: "mirrors",
  },
  {
    name: "a lost answer counts as a put that failed",
    file: archiveLayout,
    from: "then((found) => !found.has(archive))",
    to: "then(() => true)",
    engine: "mirrors",
  },
  {
    name: "a list is removed before its files",
    file: siteLayout,
    from: "await store.remove(own);\n    // The manifest is removed last, so that a failed removal can be repeated.\n    await store.remove([siteManifestName]);",
    to: "await store.remove([siteManifestName]);\n    await store.remove(own);",
    engine: "mirrors",
  },
  {
    name: "an update leaves the pages that went",
    file: siteLayout,
    from: "await store.remove(old.filter((path) => !conflicts(path)));",
    to: "",
    engine: "mirrors",
  },
  {
    name: "a site's list tells nothing of what is about to be written",
    file: siteLayout,
    from: "await putSiteManifest(store, owner, { ...base, pending }, signal);",
    to: "",
    engine: "mirrors",
  },
  {
    name: "a mirror removes whatever lies at its place",
    file: siteLayout,
    from: "await store.remove(own);",
    to: "for await (const name of store.list()) await store.remove([name]);",
    engine: "mirrors",
  },
  {
    name: "the key is written to the destination",
    file: "provider/mirror/layouts/mirrorOwner.ts",
    from: "export function nameOf({ key }: MirrorIdentity): string {\n",
    to: "export function nameOf({ key }: MirrorIdentity): string {\n  if (key) {\n    return key;\n  }\n",
    engine: "mirrors",
  },
  {
    name: "a publication that stopped counts as one that did not begin",
    file: siteLayout,
    from: "throw new PublicationStopped(facts, asDocsPlatformError(error));",
    to: "throw error;",
    engine: "mirrors",
  },
  {
    name: "a process without its engine says that the job ended",
    file: recordedStart,
    from: "this.#accepted !== undefined && isKept && (await this.#session.hasEngine())",
    to: "this.#accepted !== undefined && isKept",
    engine: "terraform",
  },
  {
    name: "what was taken up is deleted as the old object",
    file: "provider/hosts/terraform/resourceCalls.ts",
    from: "own !== undefined && !isTakenUp",
    to: "own !== undefined && (isTakenUp || !isTakenUp)",
    engine: "terraform",
  },
  {
    name: "drawn: a value is answered with the type that it shows by itself",
    file: "provider/hosts/terraform/resourceCalls.ts",
    from: "isExpected ? (expected[name] ?? null) : typed(type, value)",
    to: "isExpected === null ? null : typed(type, value)",
    engine: "drawn",
  },
  {
    name: "drawn: an apply reads the configuration",
    file: "provider/hosts/terraform/resourceCalls.ts",
    from: "knownOf(this.#inputs(planned))",
    to: "knownOf(this.#inputs(readBlock(request.config) ?? {}))",
    engine: "drawn",
  },
  {
    name: "drawn: a number is rounded",
    file: "provider/hosts/terraform/values.ts",
    from: "useBigInt64: true",
    to: "useBigInt64: false",
    engine: "drawn",
  },
  {
    name: "drawn: nothing tells that a job ended before Terraform was given it",
    file: "provider/engine/apply.ts",
    from: "await session.handOver(applied.problem !== undefined, (how) => starts.handedOver(how));",
    to: "",
    engine: "drawn",
  },
  {
    name: "drawn: of equal resources eight are told apart",
    file: startJournal,
    from: ".filter(isWanted);",
    to: ".filter(isWanted).slice(0, 8);",
    engine: "drawn",
  },
  {
    name: "drawn: an adoption settles nothing",
    file: recordedStart,
    from: "await this.#drop(...settled.map(({ name }) => name));",
    to: "",
    engine: "drawn",
  },
  {
    name: "drawn: a stale entry is believed once its process has ended",
    file: startJournal,
    from: "let mayChange = true; mayChange && entry?.id",
    to: "let mayChange = world.isRunning(found.owner); mayChange && entry?.id",
    engine: "drawn",
  },
  {
    name: "drawn: what was taken up, and has failed, counts as in use",
    file: recordedStart,
    from: 'this.#session.resumed.delete(this.#accepted?.id ?? "");',
    to: "",
    engine: "drawn",
  },
  {
    name: "drawn: a failed job stays where all changes are ignored",
    file: "provider/hosts/terraform/resourceCalls.ts",
    from: "isHidden && output !== undefined",
    to: 'isHidden && output === ""',
    engine: "drawn",
  },
];
