import type { Settings } from "../settings/settings";
import { systemClock } from "../support/time/clock";
import { timeLimits } from "../support/time/timeLimits";
import type { PlatformClient } from "./client";

const clients = new Map<string, Promise<PlatformClient>>();

/**
 * Returns the client for these settings. It calls `trace` for each request. A process has one client for the same
 * settings, so that all resources share its connections and its limit. The HTTP and schema libraries are loaded here,
 * at the first request, since most runs send none.
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
  const [{ createClient }, { createTransport }, { openConnection }, { createConnector }] = await Promise.all([
    import("./client.js"),
    import("./transport.js"),
    import("./connection.js"),
    import("../network/connector.js"),
  ]);
  const connection = openConnection(createConnector(settings, Math.min(timeLimits.connect, settings.requestTimeout)));
  const transport = createTransport(settings, { connection, clock: systemClock, random: Math.random, trace });
  return createClient(transport, settings);
}
