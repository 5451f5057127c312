import type { Random } from "../random";

/** The headers of an answer, which may ask for a pause before the next request. */
export interface DrawnPace {
  manner: "seconds" | "date" | "nothing" | "junk" | "reset of a limit" | "policy of a limit";
  headers: Record<string, string>;
  /** The pause in milliseconds that these headers ask for in an answer with status 429. Undefined: no pause. */
  rest: number | undefined;
  /** The pause after an answer with any status but 429. A limit then asks for a pause only if it is used up. */
  restOfGoodAnswer: number | undefined;
}

/**
 * @param now the time by the platform's clock: a whole second, in milliseconds since the epoch.
 * @param most the longest pause, in seconds.
 */
export function drawPace(random: Random, now: number, most = 90): DrawnPace {
  const seconds = random.whole(0, most);
  const [rest, at] = [seconds * 1_000, now + seconds * 1_000];
  const named = (manner: DrawnPace["manner"], headers: Record<string, string>, counts = true): DrawnPace => ({
    manner,
    headers: { date: new Date(now).toUTCString(), ...headers },
    rest,
    restOfGoodAnswer: counts ? rest : undefined,
  });
  const unnamed = (manner: DrawnPace["manner"], headers: Record<string, string>): DrawnPace => ({
    ...named(manner, headers, false),
    rest: undefined,
  });
  const left = random.pick([0, 0, random.whole(1, 5_000), undefined]);
  const isUsedUp = left === 0;
  const draws: [() => DrawnPace, ...(() => DrawnPace)[]] = [
    () => named("seconds", { "retry-after": random.pick([`${seconds}`, ` ${seconds} `, `${seconds}.0`]) }),
    () => named("date", { "retry-after": new Date(at).toUTCString() }),
    () => unnamed("nothing", {}),
    () => unnamed("junk", { "retry-after": random.pick(["soon", "-5", `${seconds + 1}s`, "two minutes", "", "NaN"]) }),
    () => {
      const prefix = random.pick(["x-ratelimit", "x-rate-limit", "ratelimit"]);
      const time = random.pick([`${seconds}`, `${at / 1_000}`, `${at}`, new Date(at).toISOString()]);
      return named(
        "reset of a limit",
        { [`${prefix}-reset`]: time, ...(left !== undefined && { [`${prefix}-remaining`]: `${left}` }) },
        isUsedUp,
      );
    },
    () => {
      const policies = [
        `"hour";${left === undefined ? "" : `r=${left};`}t=${seconds}`,
        `limit=10, ${left === undefined ? "" : `remaining=${left}, `}reset=${seconds}`,
      ] as const;
      return named("policy of a limit", { ratelimit: random.pick(policies) }, isUsedUp);
    },
  ];
  return random.pick(draws)();
}
