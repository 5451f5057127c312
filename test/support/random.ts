/** A sequence of pseudo-random numbers (mulberry32). The same seed gives the same sequence. */
export interface Random {
  /** At least 0, and less than 1. */
  next(): number;
  /** Returns a random whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

export function seededRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return { next, whole, pick: (choices) => choices[whole(0, choices.length - 1)] ?? choices[0] };
}

/** Returns CAMPAIGN_SEED, or a constant if it is unset. */
export function campaignSeed(): number {
  const given = process.env.CAMPAIGN_SEED ?? "";
  return /^\d{1,9}$/.test(given) ? Number(given) : 20261121;
}
