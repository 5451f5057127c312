import type { Random } from "../support/random";

/** The disturbances that a schedule may add to a run, and how many of each. */
export type Budget = Readonly<Record<string, number>>;

/** One thing that may happen next. The first one of a choice happens without a disturbance. */
export interface Option {
  label: string;
  /** Its cost in the budget; undefined if it costs nothing. */
  costs?: string | undefined;
}

/** The place of a schedule: the run of the engine, and the step of that run. */
interface Place {
  run: number;
  step: number;
}

/** Chooses one of the affordable options, which are given by their numbers. */
type Chooser = (place: Place, payable: readonly number[], options: readonly Option[]) => number;

/** The states that were met, each with the rest of the budget. A schedule that meets one with a smaller rest finds nothing new. */
export class States {
  readonly #budgets = new Map<string, Budget[]>();
  count = 0;

  isNew(state: string, left: Budget): boolean {
    const budgets = this.#budgets.get(state) ?? [];
    const isKnown = budgets.some((budget) =>
      Object.entries(left).every(([what, count]) => count <= (budget[what] ?? 0)),
    );
    if (!isKnown) {
      this.#budgets.set(state, [...budgets, { ...left }]);
      this.count++;
    }
    return !isKnown;
  }
}

/** The end of a run after which no process lives. Schedules that are equal so far begin there. */
interface Rest {
  copy: Buffer;
  taken: readonly number[];
  begins: readonly number[];
  left: Budget;
  story: readonly string[];
}

/** The first choices of a schedule, and the last rest that lies before the last one of them. */
interface Start {
  prefix: readonly number[];
  rest?: Rest | undefined;
}

/** One schedule: the choice at each step. The steps beyond its prefix take the first option, which disturbs nothing. */
export class Schedule {
  readonly story: string[];
  readonly taken: number[];
  /** The schedules that differ from this one in one step after its prefix. */
  readonly others: Start[] = [];
  readonly #prefix: readonly number[];
  #left: Record<string, number>;
  /** The step at which each run has begun. */
  readonly #begins: number[];
  #rest: Rest | undefined;

  readonly #seen: States | undefined;
  readonly #chooser: Chooser | undefined;

  /** @param chooser chooses in place of the prefix. */
  constructor({ prefix, rest }: Start, budget: Budget, seen?: States, chooser?: Chooser) {
    this.#prefix = prefix;
    this.#rest = rest;
    this.#seen = seen;
    this.#chooser = chooser;
    this.#left = { ...(rest?.left ?? budget) };
    this.story = [...(rest?.story ?? [])];
    this.taken = [...(rest?.taken ?? [])];
    this.#begins = [...(rest?.begins ?? [])];
  }

  get comparesStates(): boolean {
    return this.#seen !== undefined;
  }

  get disturbances(): number {
    return this.taken.filter((choice) => choice > 0).length;
  }

  /** From here on nothing is disturbed. */
  calm(): void {
    this.#left = {};
  }

  beginRun(): void {
    this.#begins.push(this.taken.length);
  }

  /** True if states are compared here: in its first choices a schedule meets the states of the one that it differs from. */
  get isBeyond(): boolean {
    return this.#seen !== undefined && this.taken.length >= this.#prefix.length;
  }

  /** The copy with which this schedule begins, if an equal one has come to a rest before. */
  get beginning(): Buffer | undefined {
    return this.#rest?.copy;
  }

  /** The choices, run by run. */
  get runs(): number[][] {
    return this.#begins.map((begin, run) => this.taken.slice(begin, this.#begins[run + 1]));
  }

  choose(options: readonly Option[]): number {
    const step = this.taken.length;
    const payable = [...options.keys()].filter((option) => option === 0 || this.#canPay(options[option]?.costs));
    const chosen = this.#choose(step, payable, options);
    if (this.#chooser === undefined && step >= this.#prefix.length) {
      for (const other of payable.slice(1)) {
        this.others.push({ prefix: [...this.taken, other], rest: this.#rest });
      }
    }
    this.taken.push(chosen);
    const { label = "", costs } = options[chosen] ?? {};
    if (costs !== undefined) {
      this.#left[costs] = (this.#left[costs] ?? 0) - 1;
    }
    if (chosen > 0) {
      this.tell(`! ${label}`);
    }
    return chosen;
  }

  #choose(step: number, payable: readonly number[], options: readonly Option[]): number {
    const run = this.#begins.length - 1;
    const place = { run, step: step - (this.#begins[run] ?? 0) };
    const wanted = this.#chooser?.(place, payable, options) ?? this.#prefix[step] ?? 0;
    return payable.includes(wanted) ? wanted : 0;
  }

  tell(line: string): void {
    this.story.push(line);
  }

  /**
   * Compares the state at the end of a run.
   * @param state all on which the future depends, but for the number of runs so far.
   * @param copy copies all that outlives a run; undefined if something cannot be copied.
   * @returns true if another schedule was here before, so that this one can stop.
   */
  rests(state: string, copy: () => Buffer | undefined): boolean {
    if (this.#seen?.isNew(`${this.#begins.length} ${state}`, this.#left) === false) {
      return true;
    }
    const made = Object.values(this.#left).some((count) => count > 0) ? copy() : undefined;
    if (made !== undefined) {
      const { taken, story } = this;
      const [begins, left] = [[...this.#begins], { ...this.#left }];
      this.#rest = { copy: made, taken: [...taken], begins, left, story: [...story] };
    }
    return false;
  }

  #canPay(costs: string | undefined): boolean {
    return costs === undefined || (this.#left[costs] ?? 0) > 0;
  }
}

export interface Failure {
  problems: readonly string[];
  story: readonly string[];
  /** The choices, run by run. */
  runs: readonly (readonly number[])[];
}

function failureOf({ story, runs }: Schedule, problems: readonly string[]): Failure {
  return { problems, story, runs };
}

export interface Exploration {
  schedules: number;
  /** The number of distinct states at the ends of runs; 0 if states are not compared. */
  states: number;
  /** The number of ended runs, and of faults. */
  disturbances: number;
  /** True if no schedule is left that the budget allows. */
  isWhole: boolean;
  failures: Failure[];
}

export type Telling = (schedule: Schedule) => Promise<readonly string[]>;

/** Nobody reads the stacks of the errors of thousands of schedules, which cost more than the errors. */
async function withoutStacks<T>(work: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Runs every schedule that the budget allows, those with the fewest disturbances first. Stops at the first one that
 * breaks a rule, so that no failing schedule has fewer.
 * @param run runs one schedule and returns the rules that it broke.
 */
export async function explore(
  run: Telling,
  budget: Budget,
  { prunes = true }: { prunes?: boolean } = {},
): Promise<Exploration> {
  const seen = prunes ? new States() : undefined;
  const failures: Failure[] = [];
  let frontier: Start[] = [{ prefix: [] }];
  let schedules = 0;
  let disturbances = 0;
  while (frontier.length > 0 && failures.length === 0) {
    const next: Start[] = [];
    for (const start of frontier) {
      const schedule = new Schedule(start, budget, seen);
      schedules++;
      const problems = await withoutStacks(() => run(schedule));
      disturbances += schedule.disturbances;
      next.push(...schedule.others);
      if (problems.length > 0) {
        failures.push(failureOf(schedule, problems));
        break;
      }
    }
    frontier = next;
  }
  return { schedules, states: seen?.count ?? 0, disturbances, isWhole: failures.length === 0, failures };
}

/** Makes the choices of a schedule once more. */
function chooserOf({ runs }: Pick<Failure, "runs">): Chooser {
  return ({ run, step }) => runs[run]?.[step] ?? 0;
}

/** Plays the schedule with which an exploration has failed once more, and returns the rules that it broke. */
export function replay(run: Telling, budget: Budget, failure: Failure): Promise<readonly string[]> {
  // Where states are compared, fewer steps may end a run.
  return run(new Schedule({ prefix: [] }, budget, new States(), chooserOf(failure)));
}

/** In drawn schedules, one step in this many is disturbed. */
const disturbed = 12;

/** Runs this many drawn schedules. Stops at the first one that breaks a rule. */
export async function sample(run: Telling, budget: Budget, count: number, random: Random): Promise<Exploration> {
  let schedules = 0;
  let disturbances = 0;
  const draw: Chooser = (_, [first = 0, ...others]) =>
    random.next() * disturbed < 1 ? random.pick([first, ...others]) : first;
  while (schedules < count) {
    const schedule = new Schedule({ prefix: [] }, budget, undefined, draw);
    schedules++;
    const problems = await withoutStacks(() => run(schedule));
    disturbances += schedule.disturbances;
    if (problems.length > 0) {
      return { schedules, states: 0, disturbances, isWhole: false, failures: [failureOf(schedule, problems)] };
    }
  }
  return { schedules, states: 0, disturbances, isWhole: false, failures: [] };
}

/**
 * Shortens a failing schedule as long as it breaks the same rule: drops one command, drops one disturbance, or replaces
 * one by a simpler one.
 * @param run runs a schedule of these commands.
 */
export async function shrink<Command>(
  run: (commands: readonly Command[], schedule: Schedule) => Promise<readonly string[]>,
  commands: readonly Command[],
  budget: Budget,
  failure: Failure,
): Promise<Failure> {
  const rules = rulesOf(failure);
  let best = { commands, failure };
  for (let simpler = simplerThan(best); simpler.length > 0; ) {
    const [candidate] = simpler.splice(0, 1);
    if (candidate === undefined) {
      break;
    }
    const schedule = new Schedule({ prefix: [] }, budget, undefined, chooserOf(candidate));
    const problems = await run(candidate.commands, schedule);
    if (problems.some((problem) => rules.includes(ruleOf(problem)))) {
      best = { commands: candidate.commands, failure: failureOf(schedule, problems) };
      simpler = simplerThan(best);
    }
  }
  return best.failure;
}

interface Candidate<Command> {
  commands: readonly Command[];
  runs: readonly (readonly number[])[];
}

/** Lists the schedules that are simpler in one thing, the greatest steps first. */
function simplerThan<Command>({
  commands,
  failure: { runs },
}: {
  commands: readonly Command[];
  failure: Failure;
}): Candidate<Command>[] {
  const withoutRun = [...commands.keys()].map((left) => ({
    commands: commands.filter((_, index) => index !== left),
    runs: runs.filter((_, index) => index !== left),
  }));
  const changed = runs.flatMap((choices, run) =>
    choices.flatMap((choice, step) =>
      // Lists simpler values: from nothing at all to a slightly simpler one.
      [...Array(choice).keys()].map((simpler) => ({
        commands,
        runs: runs.map((others, index) => (index === run ? others.with(step, simpler) : others)),
      })),
    ),
  );
  return [...withoutRun, ...changed];
}

/** The names of the rules that a schedule broke. */
export function rulesOf({ problems }: Pick<Failure, "problems">): string[] {
  return problems.map(ruleOf);
}

/** The name of a rule, such as `DOUBLE`. */
function ruleOf(problem: string): string {
  return problem.split(":")[0] ?? "";
}

/** Formats a failure for a person. */
export function describeFailure({ problems, story }: Failure): string {
  return [...story, ...problems.map((problem) => `=> ${problem}`)].join("\n");
}
