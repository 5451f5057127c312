import type { Random } from "../support/random";

/** What a schedule may add to a run, and how much of each. */
export type Budget = Readonly<Record<string, number>>;

/** One thing that may happen next. The first one of a choice is what happens where nothing disturbs. */
export interface Option {
  label: string;
  /** What it takes from the budget; undefined where it takes nothing. */
  costs?: string | undefined;
}

/** Where a schedule is: in which run of the engine, and at which step of that run. */
interface Place {
  run: number;
  step: number;
}

/** Chooses one of the options that can be paid, which are given by their numbers. */
type Chooser = (place: Place, payable: readonly number[], options: readonly Option[]) => number;

/** The states that were met, each with what was left of the budget: who has less left can do nothing else from there. */
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

/** One schedule: what was chosen at each step. The steps beyond its prefix take the first option, which disturbs nothing. */
export class Schedule {
  readonly story: string[] = [];
  readonly taken: number[] = [];
  /** The prefixes of the schedules that differ from this one in the step after theirs. */
  readonly others: number[][] = [];
  readonly #left: Record<string, number>;
  /** At which step each run has begun. */
  readonly #begins: number[] = [];

  readonly #seen: States | undefined;
  readonly #chooser: Chooser | undefined;

  /** @param chooser chooses in place of the prefix. */
  constructor(
    readonly prefix: readonly number[],
    budget: Budget,
    seen?: States,
    chooser?: Chooser,
  ) {
    this.#seen = seen;
    this.#chooser = chooser;
    this.#left = { ...budget };
  }

  get comparesStates(): boolean {
    return this.#seen !== undefined;
  }

  get disturbances(): number {
    return this.taken.filter((choice) => choice > 0).length;
  }

  beginRun(): void {
    this.#begins.push(this.taken.length);
  }

  /** What was chosen, run by run. */
  get runs(): number[][] {
    return this.#begins.map((begin, run) => this.taken.slice(begin, this.#begins[run + 1]));
  }

  choose(options: readonly Option[]): number {
    const step = this.taken.length;
    const payable = [...options.keys()].filter((option) => option === 0 || this.#canPay(options[option]?.costs));
    const chosen = this.#choose(step, payable, options);
    if (this.#chooser === undefined && step >= this.prefix.length) {
      for (const other of payable.slice(1)) {
        this.others.push([...this.taken, other]);
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
    const wanted = this.#chooser?.(place, payable, options) ?? this.prefix[step] ?? 0;
    return payable.includes(wanted) ? wanted : 0;
  }

  tell(line: string): void {
    this.story.push(line);
  }

  /**
   * Says what all that may still happen depends on. States are compared only past the prefix: before it every schedule meets
   * the states of the one that it comes from.
   * @returns true where another schedule was here before, so that this one need not go on.
   */
  wasAt(state: unknown): boolean {
    if (this.#seen === undefined || this.taken.length < this.prefix.length) {
      return false;
    }
    return !this.#seen.isNew(JSON.stringify(state), this.#left);
  }

  #canPay(costs: string | undefined): boolean {
    return costs === undefined || (this.#left[costs] ?? 0) > 0;
  }
}

export interface Failure {
  problems: readonly string[];
  story: readonly string[];
  /** What was chosen, run by run. */
  runs: readonly (readonly number[])[];
}

function failureOf({ story, runs }: Schedule, problems: readonly string[]): Failure {
  return { problems, story, runs };
}

export interface Exploration {
  schedules: number;
  /** Distinct states at the ends of runs; 0 where states are not compared. */
  states: number;
  /** Runs that were ended, and faults. */
  disturbances: number;
  /** True where no schedule is left that the budget allows. */
  isWhole: boolean;
  failures: Failure[];
}

type Run = (schedule: Schedule) => Promise<readonly string[]>;

/**
 * Runs every schedule that the budget allows, those with the fewest disturbances first.
 * Stops at the first one that breaks a rule: none with fewer disturbances does.
 * @param run runs one schedule and returns the rules that it broke.
 */
export async function explore(
  run: Run,
  budget: Budget,
  { prunes = true }: { prunes?: boolean } = {},
): Promise<Exploration> {
  const seen = prunes ? new States() : undefined;
  const failures: Failure[] = [];
  let frontier: number[][] = [[]];
  let schedules = 0;
  let disturbances = 0;
  while (frontier.length > 0 && failures.length === 0) {
    const next: number[][] = [];
    for (const prefix of frontier) {
      const schedule = new Schedule(prefix, budget, seen);
      schedules++;
      const problems = await run(schedule);
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

/** One step in so many is disturbed, where schedules are drawn. */
const disturbed = 12;

/** Runs so many schedules that are drawn. Stops at the first one that breaks a rule. */
export async function sample(run: Run, budget: Budget, count: number, random: Random): Promise<Exploration> {
  let schedules = 0;
  let disturbances = 0;
  const draw: Chooser = (_, [first = 0, ...others]) =>
    random.next() * disturbed < 1 ? random.pick([first, ...others]) : first;
  while (schedules < count) {
    const schedule = new Schedule([], budget, undefined, draw);
    schedules++;
    const problems = await run(schedule);
    disturbances += schedule.disturbances;
    if (problems.length > 0) {
      return { schedules, states: 0, disturbances, isWhole: false, failures: [failureOf(schedule, problems)] };
    }
  }
  return { schedules, states: 0, disturbances, isWhole: false, failures: [] };
}

/**
 * Makes a failing schedule shorter, as long as it breaks the same rule: without one of the commands, without one of the
 * disturbances, or with a simpler one in its place.
 * @param run runs a schedule of these commands.
 */
export async function shrink<Command>(
  run: (commands: readonly Command[], schedule: Schedule) => Promise<readonly string[]>,
  commands: readonly Command[],
  budget: Budget,
  failure: Failure,
): Promise<Failure> {
  const rules = failure.problems.map(ruleOf);
  let best = { commands, failure };
  for (let simpler = simplerThan(best); simpler.length > 0; ) {
    const [candidate] = simpler.splice(0, 1);
    if (candidate === undefined) {
      break;
    }
    const chooser: Chooser = ({ run: number, step }) => candidate.runs[number]?.[step] ?? 0;
    const schedule = new Schedule([], budget, undefined, chooser);
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

/** What is shorter by one thing, the greatest steps first. */
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
      // From nothing at all to the one that is a little simpler.
      [...Array(choice).keys()].map((simpler) => ({
        commands,
        runs: runs.map((others, index) => (index === run ? others.with(step, simpler) : others)),
      })),
    ),
  );
  return [...withoutRun, ...changed];
}

/** A rule by its name: `DOUBLE`. */
function ruleOf(problem: string): string {
  return problem.split(":")[0] ?? "";
}

/** A failure as a person reads it. */
export function describeFailure({ problems, story }: Failure): string {
  return [...story, ...problems.map((problem) => `=> ${problem}`)].join("\n");
}
