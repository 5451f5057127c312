import type { ApiKeySource, KeyFromFileOrCommand } from "../settings/apiKeySource";
import { readKeyFileOrCommand } from "../settings/readKeyFileOrCommand";
import { apiKey } from "../settings/settingTable";
import { settingTextProblem } from "../settings/sources";
import { unlessInterrupted } from "../support/abort";
import type { Clock } from "../support/time/clock";
import { delays } from "../support/time/delays";

interface KeyReading {
  readonly key: string;
}

const readers = new Map<string, SharedKey>();

/** All clients of a process that use the same file or command share one reader. */
export function getSharedApiKeyReader(source: ApiKeySource, clock: Clock): SharedKey {
  const name = JSON.stringify(source);
  const known = readers.get(name) ?? new SharedKey(source, clock);
  readers.set(name, known);
  return known;
}

/** @throws ConfigurationError if there is no valid key. */
export function readAdminApiKey(source: KeyFromFileOrCommand, signal: AbortSignal): Promise<string> {
  return readKeyFileOrCommand("admin API key", source, (text) => settingTextProblem(apiKey, text), signal);
}

class SharedKey {
  #present: KeyReading | undefined;
  #underWay: Promise<KeyReading> | undefined;
  #foundSameAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly source: ApiKeySource,
    private readonly clock: Clock,
  ) {}

  async current(signal: AbortSignal): Promise<KeyReading> {
    return this.#present ?? this.#read(signal);
  }

  /** Reads the key again after the platform has refused it (401). Returns true if the key has changed. */
  async hasChanged(refused: KeyReading, signal: AbortSignal): Promise<boolean> {
    // If another call has read a newer key in the meantime, nothing is read here.
    const isOld = this.#present !== refused;
    const isDue = this.clock.monotonic() >= this.#foundSameAt + delays.sameKey;
    const { key } = isOld || !isDue ? await this.current(signal) : await this.#read(signal);
    return key !== refused.key;
  }

  #read(signal: AbortSignal): Promise<KeyReading> {
    this.#underWay ??= this.#readOnce(signal).finally(() => {
      this.#underWay = undefined;
    });
    return unlessInterrupted(this.#underWay, signal);
  }

  async #readOnce(signal: AbortSignal): Promise<KeyReading> {
    const { source } = this;
    const reading = { key: typeof source === "string" ? source : await readAdminApiKey(source, signal) };
    if (reading.key === this.#present?.key) {
      this.#foundSameAt = this.clock.monotonic();
    }
    this.#present = reading;
    return reading;
  }
}
