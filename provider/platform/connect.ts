import type { Settings } from "../settings/settings";
import { systemClock } from "../support/time/clock";
import { timeLimits } from "../support/time/timeLimits";
import type { PlatformClient } from "./client";

const clients = new Map<string, Promise<PlatformClient>>();

/**
 * A process has only one client for equal settings, so all resources share the connections and the rate limit. The
 * client's libraries are loaded here, because most runs send nothing.
 */
export function connect(settings: Settings, trace: (line: string) => void = () => {}): Promise<PlatformClient> {
  const key = JSON.stringify(settings);
  const known = clients.get(key);
  if (known) {
    return known;
  }
  const created = createSystemClient(settings, trace);
  clients.set(key, created);
  return created;
}

async function createSystemClient(settings: Settings, trace: (line: string) => void): Promise<PlatformClient> {
  const [{ createPlatformClient }, { createTransport }, { openConnection }] = await Promise.all([
    import("./client.js"),
    import("./transport.js"),
    import("./connection.js"),
  ]);
  const connection = openConnection(settings, Math.min(timeLimits.connect, settings.requestTimeout));
  const transport = createTransport(settings, { connection, clock: systemClock, random: Math.random, trace });
  return createPlatformClient(transport, settings);
}
