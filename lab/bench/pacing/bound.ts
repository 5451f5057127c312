import { parameters, type SituationName } from "./generator";

/** The step of the numeric integration, in milliseconds. */
const step = 50;

/**
 * The lowest product of requests and mean delay, in seconds, that any policy can reach without progress. Polls at a
 * density n cost ∫ n · survival, and cause a delay of ∫ density / 2n. At the best n, √(density / survival), the product
 * is ½ (∫ √(density · survival))².
 */
export function boundWithoutProgress(situation: SituationName): number {
  const density = densityOf(situation);
  let survival = 1;
  let sum = 0;
  for (const probability of density) {
    sum += Math.sqrt(Math.max(0, (probability / step) * (survival - probability / 2))) * step;
    survival -= probability;
  }
  return sum ** 2 / 2 / 1_000;
}

/** The probability that a job ends in each step: log-normal work after an exponential queue. */
function densityOf(situation: SituationName): number[] {
  const { median, spread, meanQueue } = parameters.situations[situation];
  const stay = Math.exp(-step / meanQueue);
  const density: number[] = [];
  let waiting = 0;
  for (let time = step / 2; time < median * Math.exp(5 * spread); time += step) {
    const z = Math.log(time / median) / spread;
    const ofWork = (Math.exp((-z * z) / 2) / (time * spread * Math.sqrt(2 * Math.PI))) * step;
    waiting = waiting * stay + ofWork * (1 - stay);
    density.push(waiting);
  }
  return density;
}
