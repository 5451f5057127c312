/** What a schedule may add to a run, and how much of each. */
export type Budget = Readonly<Record<string, number>>;

/** One thing that may happen next. The first one of a choice is what happens where nothing disturbs. */
export interface Option {
  label: string;
  /** What it takes from the budget; undefined where it takes nothing. */
  costs?: string | undefined;
}

/** One schedule: what was chosen at each step. The steps beyond its prefix take the first option, which disturbs nothing. */
export class Schedule {
  readonly story: string[] = [];
  readonly taken: number[] = [];
  /** The prefixes of the schedules that differ from this one in the step after theirs. */
  readonly others: number[][] = [];
  readonly #left: Record<string, number>;

  constructor(
    readonly prefix: readonly number[],
    budget: Budget,
    private readonly seen: Set<string> | undefined,
  ) {
    this.#left = { ...budget };
  }

  choose(options: readonly Option[]): number {
    const step = this.taken.length;
    const chosen = this.prefix[step] ?? 0;
    if (step >= this.prefix.length) {
      for (let other = 1; other < options.length; other++) {
        if (this.#canPay(options[other]?.costs)) {
          this.others.push([...this.taken, other]);
        }
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

  tell(line: string): void {
    this.story.push(line);
  }

  /**
   * Says what all that may still happen depends on. States are compared only past the prefix: before it every schedule meets
   * the states of the one that it comes from.
   * @returns true where another schedule was here before, so that this one need not go on.
   */
  wasAt(state: unknown): boolean {
    if (this.seen === undefined || this.taken.length < this.prefix.length) {
      return false;
    }
    const key = JSON.stringify([state, this.#left]);
    const isKnown = this.seen.has(key);
    this.seen.add(key);
    return isKnown;
  }

  #canPay(costs: string | undefined): boolean {
    return costs === undefined || (this.#left[costs] ?? 0) > 0;
  }
}

export interface Failure {
  prefix: readonly number[];
  problems: readonly string[];
  story: readonly string[];
}

export interface Exploration {
  schedules: number;
  /** Distinct states at the ends of runs; 0 where states are not compared. */
  states: number;
  /** True where no schedule is left that the budget allows. */
  isWhole: boolean;
  failures: Failure[];
}

/**
 * Runs every schedule that the budget allows, those with the fewest disturbances first.
 * Stops at the first one that breaks a rule: none with fewer disturbances does.
 * @param run runs one schedule and returns the rules that it broke.
 */
export async function explore(
  run: (schedule: Schedule) => Promise<readonly string[]>,
  budget: Budget,
  { prunes = true }: { prunes?: boolean } = {},
): Promise<Exploration> {
  const seen = prunes ? new Set<string>() : undefined;
  const failures: Failure[] = [];
  let frontier: number[][] = [[]];
  let schedules = 0;
  while (frontier.length > 0) {
    const next: number[][] = [];
    for (const prefix of frontier) {
      if (failures.length > 0) {
        return { schedules, states: seen?.size ?? 0, isWhole: false, failures };
      }
      const schedule = new Schedule(prefix, budget, seen);
      schedules++;
      const problems = await run(schedule);
      next.push(...schedule.others);
      if (problems.length > 0) {
        failures.push({ prefix: trimmed(schedule.taken), problems, story: schedule.story });
      }
    }
    frontier = next;
  }
  return { schedules, states: seen?.size ?? 0, isWhole: true, failures };
}

/** The steps up to the last disturbance. */
function trimmed(taken: readonly number[]): number[] {
  const last = taken.findLastIndex((choice) => choice > 0);
  return taken.slice(0, last + 1);
}

/** A failure as a person reads it. */
export function describeFailure({ problems, story, prefix }: Failure): string {
  return [...story, ...problems.map((problem) => `=> ${problem}`), `schedule ${JSON.stringify(prefix)}`].join("\n");
}
