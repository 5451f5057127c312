export const help = `The embedded platform: the admin API on 127.0.0.1, for trying out and testing.

Usage: npm run platform -- [flags]     Durations are such as 500ms, 90s, 1m30s.

  --port N                 port; 0 takes any free one (default 0)
  --key KEY                the admin API key (default: a random one)
  --form bundle|record     the API text's form, with an operation for bundles (default); or the form in which the path has
                           the project and the completed job's record has the link, with one job at a time and ten
                           starts an hour
  --job-time D             time that a job runs (default 5s)
  --link-life D            life of a signed link (default 15m)
  --agent-job PROJECT/ID   adds an agent job; may be repeated (the API text shows no operation that creates one)

  --fault OP:KIND[:COUNT]  the next COUNT (default 1) requests of an operation meet a fault; may be repeated
                           OP: startExport, getExport, createBundle, sendMessage, getAgentJob, download, other
                           KIND: a status, reset, lostAnswer, hang, brokenBody, truncate, delay=D or lateAnswer=D

  --openapi                print the API as an OpenAPI 3.1 document, which is also at /openapi.json
  -h, --help               this text
`;

/** The message names the flag and the values that the flag accepts. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a duration such as `90s`, `1m30s`, `1.5h` or `0`. Returns undefined for any other text. */
export function parseMilliseconds(text: string): number | undefined {
  if (!/^(0|(\d+(\.\d+)?(ms|s|m|h))+)$/.test(text)) {
    return undefined;
  }
  const parts = text.matchAll(/([\d.]+)([a-z]+)/g);
  return [...parts].reduce((total, [, amount, unit]) => total + Number(amount) * (units[unit ?? ""] ?? 0), 0);
}
