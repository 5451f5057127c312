import type { RawValues } from "../../provider/definitions/values";
import { update } from "../../provider/engine/apply";
import { check } from "../../provider/engine/check";
import { plan } from "../../provider/engine/plan";
import { read } from "../../provider/engine/read";
import { ReplacementTracker } from "../../provider/pulumiEngine/replacementTracker";
import type { WriteOutcome } from "../../provider/resources/lifecycle";
import { CheckedSettings } from "../../provider/settings/settings";
import { asDocsPlatformError, type DocsPlatformError } from "../../provider/support/errors";
import type { Machine } from "./machine";
import { modelEnvironment } from "./platform";
import { type Command, type DeclaredResource, definitionOf, inputsOf, isReplaced, isTargeted } from "./program";
import type { EngineHabits, ModelSession } from "./pulumi";

export interface StackResource {
  id: string;
  state: RawValues;
  inputs: RawValues;
  /** True if the resource exists but its create or its last update failed. */
  isFailed: boolean;
}

/** By resource name. */
export type Backend = Record<string, Kept>;

interface Kept {
  saved?: StackResource | undefined;
  /** The old objects that replacements have left. The engine must still delete them. */
  old?: readonly StackResource[];
  /** True if the engine has recorded that a create began, but not that it ended. Only the user can clear this. */
  isPending?: boolean;
  /** True if the create began in the current run. */
  isBegun?: boolean;
}

type Change = (backend: Backend) => void;

const change =
  (name: string, what: Kept): Change =>
  (backend) => {
    backend[name] = { ...backend[name], ...what };
  };

/** One run of the engine: it calls the provider and saves the results. */
export class EngineRun {
  readonly #failed = new Set<string>();
  #isCancelled = false;
  /** The state as the run knows it. With `savesAtTheEnd`, the state in the backend may be older. */
  readonly #view: Backend;
  readonly #atTheEnd: Change[] = [];
  /** The provider's real code. */
  readonly #tracker: ReplacementTracker;

  constructor(
    private readonly machine: Machine,
    private readonly session: ModelSession,
    private readonly program: readonly DeclaredResource[],
    private readonly backend: Backend,
    private readonly habits: EngineHabits,
    private readonly command: Command,
  ) {
    this.#tracker = new ReplacementTracker(session);
    for (const [name, { isBegun = false }] of Object.entries(backend)) {
      change(name, { isBegun: false, ...(isBegun && { isPending: true }) })(backend);
    }
    this.#view = { ...backend };
  }

  cancel(): void {
    this.#isCancelled = true;
    this.session.cancel();
  }

  async steps(): Promise<boolean> {
    const command = this.command;
    const session = this.session;
    const machine = this.machine;
    for (const name of command.kind === "up" ? [] : (command.targets ?? [])) {
      if (this.#view[name]?.saved === undefined) {
        this.#failed.add(name);
      }
    }
    if ((command.kind === "refresh" || command.refreshes) && this.#goesOn) {
      await this.#forEach((declared) => this.#refresh(declared));
    }
    if (command.kind === "up" && this.#goesOn) {
      await this.#forEach((declared, before) => this.#up(declared, before));
    }
    if (command.kind !== "refresh") {
      await this.#deleteAll();
    }
    await this.#listens();
    // At the end of every run, the engine cancels its providers and sends them a signal.
    session.cancel();
    await session.end();
    await this.#listens();
    machine.kill(session.process);
    for (const made of this.#atTheEnd) {
      made(this.backend);
    }
    return this.#goesOn;
  }

  get #goesOn(): boolean {
    return this.#failed.size === 0 && !this.#isCancelled;
  }

  /** Works on all resources at the same time. A resource that uses an export's job waits for the export. */
  async #forEach(
    work: (declared: DeclaredResource, before: Promise<void> | undefined) => Promise<void>,
  ): Promise<void> {
    const works = new Map<string, Promise<void>>();
    for (const declared of this.program.filter((one) => isTargeted(this.command, one))) {
      works.set(declared.name, work(declared, works.get(declared.of ?? "")));
    }
    await Promise.all(works.values());
  }

  async #up(declared: DeclaredResource, before: Promise<void> | undefined): Promise<void> {
    const command = this.command;
    await before;
    const source = this.#view[declared.of ?? ""]?.saved;
    if ((before !== undefined && !this.#goesOn) || (declared.of !== undefined && source === undefined)) {
      return;
    }
    const { name } = declared;
    const given = { ...inputsOf(declared, source?.state.jobId), ...command.inputs?.[name] };
    const { inputs, failures } = check(definitionOf(declared), given, settings);
    if (failures.length > 0) {
      throw new Error(JSON.stringify(failures));
    }
    const { saved } = this.#view[name] ?? {};
    if (saved === undefined) {
      await this.#create(declared, inputs);
      return;
    }
    if (isReplaced(command, name)) {
      await this.#replace(declared, inputs, saved);
      return;
    }
    const operation = { ...this.#operation(declared, saved), inputs };
    const planned = this.#tracker.plan(definitionOf(declared), operation);
    if (planned.action === "replace" || (planned.action === "update" && this.habits.replacesOnChanges)) {
      await this.#replace(declared, inputs, saved);
    } else if (planned.action === "update" || saved.isFailed) {
      const applied = await this.#attempt(declared, () => this.#update(declared, saved, inputs));
      if (applied !== undefined) {
        await this.#save(change(name, { saved: savedOf(applied, inputs) }));
      }
    }
  }

  async #create(declared: DeclaredResource, inputs: RawValues): Promise<void> {
    const fresh = await this.#created(declared, inputs);
    if (fresh !== undefined) {
      await this.#save(change(declared.name, { saved: fresh, isBegun: false }));
    }
  }

  async #replace(declared: DeclaredResource, inputs: RawValues, old: StackResource): Promise<void> {
    const fresh = await this.#created(declared, inputs);
    if (fresh !== undefined) {
      const { old: olds = [] } = this.#view[declared.name] ?? {};
      await this.#save(change(declared.name, { saved: fresh, old: [...olds, old], isBegun: false }));
    }
  }

  async #created(declared: DeclaredResource, inputs: RawValues): Promise<StackResource | undefined> {
    const habits = this.habits;
    const operation = { ...this.#base(declared), settings: settingsOf(habits), inputs };
    // The engine first records that the create has begun, and then calls the provider.
    if (!habits.savesAtTheEnd) {
      change(declared.name, { isBegun: true })(this.backend);
    }
    const create = () => this.#attempt(declared, () => this.#tracker.create(definitionOf(declared), operation));
    let applied = await create();
    for (let again = 0; again < 3 && habits.retriesByCreate && this.#failed.has(declared.name); again++) {
      if (!this.#isCancelled) {
        this.#failed.delete(declared.name);
        applied = (await create()) ?? applied;
      }
    }
    if (applied?.problem !== undefined && habits.retriesByUpdate && !this.#isCancelled) {
      const first = savedOf(applied, inputs);
      this.#failed.delete(declared.name);
      applied = await this.#attempt(declared, () => this.#update(declared, first, inputs));
      applied ??= first;
    }
    if (applied === undefined) {
      change(declared.name, { isBegun: false })(this.backend);
    }
    return applied && savedOf(applied, inputs);
  }

  /** The provider's process has ended, so the engine's open calls fail. */
  loseProvider(): void {
    for (const { name } of this.program) {
      change(name, { isBegun: false })(this.backend);
    }
  }

  #update(declared: DeclaredResource, saved: StackResource, inputs: RawValues): Promise<WriteOutcome<RawValues>> {
    return update(definitionOf(declared), { ...this.#operation(declared, saved), inputs }, this.session);
  }

  async #refresh(declared: DeclaredResource): Promise<void> {
    const session = this.session;
    const { name } = declared;
    const { saved } = this.#view[name] ?? {};
    if (saved === undefined) {
      return;
    }
    const definition = definitionOf(declared);
    const operation = this.#operation(declared, saved);
    const state = await this.#heard(declared, () => read(definition, operation, session));
    if (state === "failed") {
      return;
    }
    if (state === undefined) {
      await this.#save(change(name, { saved: undefined }));
      return;
    }
    // A refresh also makes a plan from the saved inputs. This plan shows the differences that the read found. After a
    // successful read, the resource no longer counts as failed.
    plan(definition, { ...operation, state, inputs: saved.inputs }, session);
    await this.#save(change(name, { saved: { ...saved, state, isFailed: false } }));
  }

  /**
   * Unless the run has failed, deletes the old objects that replacements have left. In a destroy, also deletes the
   * current objects.
   */
  async #deleteAll(): Promise<void> {
    const command = this.command;
    const program = this.program;
    const targeted = program.filter((declared) => isTargeted(command, declared));
    for (const declared of targeted.toReversed()) {
      for (const old of this.#view[declared.name]?.old ?? []) {
        const rest = (this.#view[declared.name]?.old ?? []).filter((one) => one !== old);
        await this.#delete(declared, old, change(declared.name, { old: rest }));
      }
    }
    if (command.kind !== "destroy") {
      return;
    }
    const gone = targeted.filter(({ name }) => this.#view[name]?.saved !== undefined);
    for (const users of [true, false]) {
      const level = gone.filter(({ of }) => (of !== undefined) === users);
      await Promise.all(
        level.map((declared) => {
          const saved = this.#view[declared.name]?.saved as StackResource;
          return this.#delete(declared, saved, change(declared.name, { saved: undefined }));
        }),
      );
    }
  }

  async #delete(declared: DeclaredResource, one: StackResource, gone: Change): Promise<void> {
    if (!this.#goesOn) {
      return;
    }
    if (!declared.retained) {
      const operation = this.#operation(declared, one);
      const result = await this.#heard(declared, () => this.#tracker.remove(definitionOf(declared), operation));
      if (result === "failed") {
        return;
      }
    }
    await this.#save(gone);
  }

  async #attempt(
    declared: DeclaredResource,
    work: () => Promise<WriteOutcome<RawValues>>,
  ): Promise<WriteOutcome<RawValues> | undefined> {
    const applied = await this.#heard(declared, work);
    if (applied === "failed") {
      return undefined;
    }
    if (applied.problem !== undefined) {
      this.#fail(declared, applied.problem);
    }
    return applied;
  }

  /** Returns the answer of a call. If the engine has ended, the answer is lost, and the promise never settles. */
  async #heard<T>(declared: DeclaredResource, work: () => Promise<T>): Promise<T | "failed"> {
    try {
      const result = await work();
      await this.#listens();
      return result;
    } catch (error) {
      await this.#listens();
      this.#fail(declared, asDocsPlatformError(error));
      return "failed";
    }
  }

  #listens(): Promise<never> | undefined {
    return this.session.process.hasEngine ? undefined : new Promise<never>(() => {});
  }

  #fail({ name }: DeclaredResource, problem: DocsPlatformError): void {
    this.#failed.add(name);
    this.session.texts.push(problem.message);
    this.session.problems.set(name, problem);
  }

  /** Saves a change immediately, or at the end of the run (`savesAtTheEnd`). */
  async #save(made: Change): Promise<void> {
    const habits = this.habits;
    const machine = this.machine;
    const { process } = this.session;
    await machine.step(process, "the engine has the result", () => {});
    await this.#listens();
    made(this.#view);
    if (habits.savesAtTheEnd) {
      this.#atTheEnd.push(made);
      return;
    }
    await machine.step(process, "checkpoint", () => {
      if (process.hasEngine) {
        made(this.backend);
      }
    });
    await this.#listens();
  }

  #base({ name }: DeclaredResource) {
    return { address: `urn:pulumi:dev::p::t::${name}`, settings, signal: this.session.signal };
  }

  #operation(declared: DeclaredResource, { id, state }: StackResource) {
    return { ...this.#base(declared), id, state };
  }
}

function savedOf({ id, state, problem }: WriteOutcome<RawValues>, inputs: RawValues): StackResource {
  return { id, state, inputs, isFailed: problem !== undefined };
}

const settings = new CheckedSettings({ environment: modelEnvironment });
const lenient = new CheckedSettings({
  environment: { ...modelEnvironment, DOCS_PLATFORM_JOURNAL_REQUIRED: "false" },
});
const settingsOf = ({ needsNoJournal }: EngineHabits) => (needsNoJournal ? lenient : settings);
