/** A bug: a text in a file of the provider, and the wrong text that replaces it. */
export interface Mutant {
  name: string;
  file: string;
  from: string;
  to: string;
  /** The name of the script that finds the bug. Default: `two runs`. */
  script?: string;
}

const recordedStart = "provider/engine/recordedStart.ts";
const startJournal = "provider/engine/startJournal.ts";
const entryCleanup = "provider/engine/entryCleanup.ts";
const jobStarts = "provider/engine/jobStartsOfThisProcess.ts";
const transport = "provider/platform/transport.ts";
const staticExport = "provider/resources/staticExport.ts";

/** Each bug is put into the provider alone. */
export const mutants: readonly Mutant[] = [
  {
    name: "no intent is written",
    file: recordedStart,
    from: "await this.#journal.write(this.#own, this.#newEntry());",
    to: "",
  },
  {
    name: "an evidence of the process itself counts in an update",
    file: entryCleanup,
    from: "isEntryName(name) && !starts.touched.has(name);",
    to: "isEntryName(name);",
    script: "a create that is retried by an update in the same step",
  },
  {
    name: "the own entry is not noted as touched",
    file: recordedStart,
    from: "clock.now();\n    this.session.starts.touched.add(this.#own);",
    to: "clock.now();",
    script: "Terraform: two equal exports",
  },
  {
    name: "the entry of a message that may have been sent is not noted as touched",
    file: recordedStart,
    from: "    starts.touched.add(this.#own);\n",
    to: "",
    script: "a message that is retried in the same way",
  },
  {
    name: "an adoption settles every lost start of an equal resource",
    file: startJournal,
    from: "[...lost, ...torn].slice(0, 1)",
    to: "[...lost, ...torn]",
    script: "Terraform: an adoption of one of two jobs whose answers were lost",
  },
  {
    name: "an entry that is taken up is not noted as touched",
    file: recordedStart,
    from: "      session.starts.touched.add(name);\n      session.starts.continued",
    to: "      session.starts.continued",
    script: "a create that is retried by an update in the same step",
  },
  {
    name: "every job counts as saved",
    file: recordedStart,
    from: "await session.savedInState(this.address, id);",
    to: '("saved" as string);',
  },
  {
    name: "the state is not asked",
    file: recordedStart,
    from: "await session.savedInState(this.address, id);",
    to: '("unsaved" as string);',
    script: "inputs of a message that change, and come back, with a bucket",
  },
  {
    name: "what no state has is given up, although it was never handed over",
    file: recordedStart,
    from: 'savedInState === "gone" && (handedOver || isOlder)',
    to: 'savedInState === "gone"',
  },
  {
    name: "what was handed over is recorded before the run ends",
    file: "provider/engine/session.ts",
    from: "this.#atTheEnd.push(record);",
    to: "void record();",
  },
  {
    name: "two adoptions settle one start",
    file: startJournal,
    from: "      touched.add(name);\n",
    to: "",
    script: "Terraform: two lost answers of equal exports, two adoptions, and a third one",
  },
  {
    name: "a torn entry is passed over",
    file: "provider/journal/journal.ts",
    from: "unusable.push({ name, why });",
    to: "void why;",
    script: "a power cut that tears an entry",
  },
  {
    name: "a process forgets what it has sent",
    file: jobStarts,
    from: "this.sent.set(name, entry);",
    to: "",
    script: "creates that error hooks call again, without a journal",
  },
  {
    name: "no second look",
    file: recordedStart,
    from: "find(({ name }) => !seen.has(name))",
    to: "find(({ name }) => !seen.has(name) && name === undefined)",
    script: "a bucket whose lists are late, and that may go",
  },
  {
    name: "a process without an engine sends",
    file: recordedStart,
    from: "if (session.signal.aborted || !(await session.hasEngine())) {",
    to: "if (session.signal.aborted) {",
    script: "a bucket whose lists are late, and that may go",
  },
  {
    name: "the answer is told before the entry is taken back",
    file: recordedStart,
    from: "    await this.#takeBack();\n    this.session.answered(this);",
    to: "    this.session.answered(this);\n    await this.#takeBack();",
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
    from: "entry.id !== undefined || !mayChange",
    to: "entry.id !== undefined || mayChange || !mayChange",
  },
  {
    name: "an entry of a required journal is not taken back if its write failed",
    file: recordedStart,
    from: "await this.#takeBack();\n        throw unusableJournalError",
    to: "throw unusableJournalError",
    script: "a required journal that stores an entry, and answers 503",
  },
  {
    name: "what was started and handed over is not noted",
    file: recordedStart,
    from: 'state.is === "accepted" || (state.is',
    to: "(state.is",
    script: "a retained export, destroyed and made again",
  },
  {
    name: "a failed job that was continued is not discarded",
    file: recordedStart,
    from: 'if (state.is !== "accepted" && state.is !== "continued") {',
    to: 'if (state.is !== "accepted") {',
    script: "a job that fails",
  },
  {
    name: "a start takes a step that its table lacks",
    file: recordedStart,
    from: 'this.#enter("lookAgain", { is: "sent" });',
    to: 'this.#enter("send", { is: "sent" });',
  },
  {
    name: "what failed is not discarded",
    file: recordedStart,
    from: "await this.#journal.drop(state.name);",
    to: "",
    script: "a job that fails",
  },
  {
    name: "the id is not recorded",
    file: recordedStart,
    from: "await this.#journal.write(this.#own, entry);",
    to: "",
  },
  {
    name: "an entry is too old at once",
    file: "provider/journal/journal.ts",
    from: "return now - platformTime >= longestAge;",
    to: "return now >= platformTime || longestAge > 0;",
  },
  {
    name: "a lost answer counts as a refusal",
    file: "provider/platform/requestError.ts",
    from: 'return !route.repeatable && result.kind === "broken" && result.sent;',
    to: "return false;",
    script: "answers of the platform that are lost or no",
  },
  {
    name: "a doubtful start is taken back",
    file: transport,
    from: "if (!mayHaveTakenEffect({ route, result, retryAfter })) {\n        await once",
    to: "if (once !== undefined) {\n        await once",
    script: "answers of the platform that are lost or no",
  },
  {
    name: "an earlier start is started again",
    file: staticExport,
    from: "if (!(error instanceof AlreadyStartedError) || tried.has(error.id)) {",
    to: 'if (error instanceof AlreadyStartedError) {\n        await start.discard("failed");\n        return startNew(inputs, start, limit, context);\n      }\n      if (!(error instanceof AlreadyStartedError) || tried.has(error.id)) {',
  },
  {
    name: "the end waits for no answer",
    file: "provider/engine/session.ts",
    from: "await Promise.all([...this.#inFlight.values()].map(({ answered }) => answered));",
    to: "",
  },
  {
    name: "what an earlier process has started counts as saved in Terraform",
    file: "provider/hosts/terraform/terraformSession.ts",
    from: 'return "unsaved";',
    to: 'return "saved" as JobPresenceInState;',
    script: "Terraform: two applies on a remote backend",
  },
  {
    name: "a plan of a start leaves what the states have in a bucket",
    file: "provider/engine/plan.ts",
    from: "session.planStart();",
    to: "",
    script: "Terraform: one more equal export, with a bucket",
  },
  {
    name: "of equal resources eight are told apart",
    file: startJournal,
    from: "names.filter(isWanted)",
    to: "names.filter(isWanted).slice(0, 8)",
    script: "Terraform: nine equal exports",
  },
  {
    name: "an adoption settles nothing",
    file: startJournal,
    from: "await this.drop(...dropped.map(({ name }) => name));",
    to: "",
    script: "Terraform: a lost answer, an adoption, and a replacement",
  },
  {
    name: "each of equal resources asks about all lost answers",
    file: recordedStart,
    from: "(sharesAddresses ? [] : more)",
    to: "more",
    script: "Terraform: two equal exports",
  },
  {
    name: "what another resource of the same address has taken is free",
    file: recordedStart,
    from: "return this.session.sharesAddresses && this.session.starts.touched.has(name);",
    to: "return false as boolean;",
    script: "Terraform: two equal exports",
  },
  {
    name: "the scope of a configuration does not count",
    file: "provider/hosts/terraform/terraformSession.ts",
    from: '["scope", scope]',
    to: "[realpathSync(folder)]",
    script: "Terraform: one scope, and another checkout",
  },
  {
    name: "a stale entry is believed once it has an answer",
    file: startJournal,
    from: "const mayChange = runtime",
    to: "if (entry.id !== undefined) {\n        return entry;\n      }\n      const mayChange = runtime",
    script: "Terraform: two equal exports, and one of another state at once",
  },
  {
    name: "a wait that ends early is an error of a create",
    file: "provider/engine/apply.ts",
    from: "isWarning: replacesFailed && goesOn",
    to: "isWarning: false",
    script: "Terraform: waits that end early, and a taint",
  },
  {
    name: "a job that failed is saved",
    file: "provider/engine/apply.ts",
    from: "isSaved: !(replacesFailed && isEnd && starts)",
    to: "isSaved: true",
    script: "Terraform: a job that fails",
  },
  {
    name: "a job that is older than what is replaced is continued",
    file: recordedStart,
    from: "Number.POSITIVE_INFINITY) < this.after;",
    to: "Number.POSITIVE_INFINITY) < this.after && id === name;",
    script: "Terraform: inputs that change, and come back",
  },
  {
    name: "the journal keeps what a tainted object has",
    file: "provider/engine/deleteFirstReplacer.ts",
    from: "() => removeEntriesOfJob(this.session, operation)",
    to: "async () => {}",
    script: "Terraform: a taint that is read by nobody",
  },
];
