import type { Random } from "../support/random";

/** The number of disturbances of each kind that a schedule may contain. */
export type Budget = Readonly<Partial<Record<Disturbance, number>>>;
export type Disturbance = "end" | "fault" | "turn";

/** An event that may happen next. The first option of a choice disturbs nothing. */
export interface Option {
  label: string;
  /** The kind of disturbance that this option uses. It is undefined if the option disturbs nothing. */
  costs?: Disturbance | undefined;
}

/** `payable` contains the indexes of the options that the budget allows. */
type Chooser = (payable: readonly number[], options: readonly Option[]) => number;

/**
 * The index of the chosen option at each step. The prefix fixes the first choices. After the prefix, the schedule
 * chooses the first option, which disturbs nothing.
 */
export class Schedule {
  readonly story: string[] = [];
  /** The broken rules about a start's steps. */
  readonly broken: string[] = [];
  /** The labels of the disturbances so far, by kind. */
  readonly happened: Record<Disturbance, string[]> = { end: [], fault: [], turn: [] };
  /**
   * Prefixes of schedules to play later. Each one begins with choices of this schedule, and ends with a different
   * choice.
   */
  readonly others: number[][] = [];
  readonly #taken: number[] = [];
  readonly #left: Record<Disturbance, number>;

  /** @param chooser makes every choice, in place of the prefix. */
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

  /** Sets the remaining budget to zero. */
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
      this.log(`! ${label}`);
    }
    return chosen;
  }

  log(line: string): void {
    this.story.push(line);
  }
}

export interface Failure {
  problems: readonly string[];
  story: readonly string[];
}

export interface Exploration {
  schedules: number;
  disturbances: number;
  failure: Failure | undefined;
}

/** @returns the rules that the schedule broke. */
export type PlaySchedule = (schedule: Schedule) => Promise<readonly string[]>;

/**
 * Plays every schedule that the budget allows. Begins with the schedules that have the fewest disturbances, and stops
 * at the first one that breaks a rule. So no schedule with fewer disturbances breaks a rule.
 */
export function explore(play: PlaySchedule, budget: Budget): Promise<Exploration> {
  const frontier: number[][] = [[]];
  return playAll(play, function* () {
    for (const prefix of frontier) {
      const schedule = new Schedule(prefix, budget);
      yield schedule;
      frontier.push(...schedule.others);
    }
  });
}

/** The probability of a disturbance at a step is 1 / `disturbed`. */
const disturbed = 12;

/** Plays `count` random schedules. Stops at the first one that breaks a rule. */
export function sample(play: PlaySchedule, budget: Budget, count: number, random: Random): Promise<Exploration> {
  const draw: Chooser = ([first = 0, ...others]) =>
    random.next() * disturbed < 1 ? random.pick([first, ...others]) : first;
  return playAll(play, function* () {
    for (let drawn = 0; drawn < count; drawn++) {
      yield new Schedule([], budget, draw);
    }
  });
}

async function playAll(play: PlaySchedule, schedules: () => Iterable<Schedule>): Promise<Exploration> {
  const { stackTraceLimit } = Error;
  // Thousands of schedules throw errors. Without stack traces, these errors take much less time.
  Error.stackTraceLimit = 0;
  const found: Exploration = { schedules: 0, disturbances: 0, failure: undefined };
  try {
    for (const schedule of schedules()) {
      const problems = [...(await play(schedule)), ...schedule.broken];
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

export function describeFailure({ problems, story }: Failure): string {
  return [...story, ...problems.map((problem) => `=> ${problem}`)].join("\n");
}
