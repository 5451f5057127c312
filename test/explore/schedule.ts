import type { Random } from "../support/random";

/** The number of disturbances of each kind that a schedule may add to a story. */
export type Budget = Readonly<Partial<Record<Disturbance, number>>>;
export type Disturbance = "end" | "fault" | "turn";

/** A possible next event. The first option of a choice happens without a disturbance. */
export interface Option {
  label: string;
  /** Its cost in the budget; undefined if it costs nothing. */
  costs?: Disturbance | undefined;
}

/** Chooses one of the options that the budget allows, which are given by their numbers. */
type Chooser = (payable: readonly number[], options: readonly Option[]) => number;

/**
 * One schedule: the choice at each step. After its prefix, each step takes the first option, which disturbs nothing.
 */
export class Schedule {
  readonly story: string[] = [];
  /** The rules that a step of the provider broke. */
  readonly broken: string[] = [];
  /** The labels of the disturbances that have happened, by their kind. */
  readonly happened: Record<Disturbance, string[]> = { end: [], fault: [], turn: [] };
  /** The schedules that differ from this one in one step after its prefix. */
  readonly others: number[][] = [];
  readonly #taken: number[] = [];
  readonly #left: Record<Disturbance, number>;

  /** @param chooser if given, it chooses instead of the prefix. */
  constructor(
    private readonly prefix: readonly number[],
    budget: Budget,
    private readonly chooser?: Chooser,
  ) {
    this.#left = { end: 0, fault: 0, turn: 0, ...budget };
  }

  get disturbances(): number {
    return Object.values(this.happened).flat().length;
  }

  /** Allows no disturbance from here on. */
  calm(): void {
    Object.assign(this.#left, { end: 0, fault: 0, turn: 0 });
  }

  choose(options: readonly Option[]): number {
    const step = this.#taken.length;
    const payable = [...options.keys()].filter((option) => {
      const costs = options[option]?.costs;
      return costs === undefined || this.#left[costs] > 0;
    });
    if (this.chooser === undefined && step >= this.prefix.length) {
      this.others.push(...payable.slice(1).map((other) => [...this.#taken, other]));
    }
    const chosen = this.chooser?.(payable, options) ?? this.prefix[step] ?? 0;
    this.#taken.push(chosen);
    const { label = "", costs } = options[chosen] ?? {};
    if (costs !== undefined) {
      this.#left[costs]--;
      this.happened[costs].push(label);
      this.tell(`! ${label}`);
    }
    return chosen;
  }

  tell(line: string): void {
    this.story.push(line);
  }
}

/** The first schedule that broke a rule. */
export interface Failure {
  problems: readonly string[];
  story: readonly string[];
}

export interface Exploration {
  schedules: number;
  /** The number of disturbances: ended runs, faults and turns. */
  disturbances: number;
  failure: Failure | undefined;
}

/** Plays one schedule, and returns the rules that it broke. */
export type PlaySchedule = (schedule: Schedule) => Promise<readonly string[]>;

/**
 * Plays every schedule that the budget allows, beginning with the fewest disturbances. Stops at the first schedule that
 * breaks a rule, so that no failing schedule has fewer disturbances.
 */
export function explore(tell: PlaySchedule, budget: Budget): Promise<Exploration> {
  const frontier: number[][] = [[]];
  return playAll(tell, function* () {
    for (const prefix of frontier) {
      const schedule = new Schedule(prefix, budget);
      yield schedule;
      frontier.push(...schedule.others);
    }
  });
}

/** In a drawn schedule, one of this many steps is disturbed on average. */
const disturbed = 12;

/** Plays this many drawn schedules. Stops at the first one that breaks a rule. */
export function sample(tell: PlaySchedule, budget: Budget, count: number, random: Random): Promise<Exploration> {
  const draw: Chooser = ([first = 0, ...others]) =>
    random.next() * disturbed < 1 ? random.pick([first, ...others]) : first;
  return playAll(tell, function* () {
    for (let drawn = 0; drawn < count; drawn++) {
      yield new Schedule([], budget, draw);
    }
  });
}

async function playAll(tell: PlaySchedule, schedules: () => Iterable<Schedule>): Promise<Exploration> {
  const { stackTraceLimit } = Error;
  // Errors need no stack here: thousands of schedules throw errors, and a stack costs more than the error.
  Error.stackTraceLimit = 0;
  const found: Exploration = { schedules: 0, disturbances: 0, failure: undefined };
  try {
    for (const schedule of schedules()) {
      const problems = [...(await tell(schedule)), ...schedule.broken];
      found.schedules++;
      found.disturbances += schedule.disturbances;
      if (problems.length > 0) {
        found.failure = { problems, story: schedule.story };
        break;
      }
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return found;
}

/** Formats a failure for a person. */
export function describeFailure({ problems, story }: Failure): string {
  return [...story, ...problems.map((problem) => `=> ${problem}`)].join("\n");
}
