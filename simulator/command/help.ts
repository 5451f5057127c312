/** Text of `--help`. */
export const help = `The embedded platform: the admin API on 127.0.0.1, for trying out and testing.

Usage: npm run platform -- [flags]     Durations are Go durations: 500ms, 90s, 1m30s.

  --port N                 port; 0 takes any free one (default 0)
  --key KEY                the admin API key (default: a random one)
  --content DIR            folder of Markdown to export (default: this package's README.md and docs/)
  --domains a,b            the deployments that exist (default: every domain)

Jobs and links
  --queue-time D           time in queued (default 500ms)
  --job-time D             time in running (default 5s)
  --fail-jobs TEXT         every job ends failed with this error
  --link-life D            life of a signed link (default 15m)
  --one-job-per-domain     409 on a start while a job of the domain is unfinished
  --starts-per-hour N      429 beyond it (default unlimited)
  --requests-per-second N  of all clients together, 429 beyond it (default unlimited)
  --clock-offset D         the platform's clock minus this machine's, as in --clock-offset=-90s

Agent jobs
  --agent-job PROJECT/ID   adds an agent job; may be repeated (the API text shows no operation that creates one)
  --projects a,b           the projects that exist (default: every project)
  --agent-time D           time that a job is active after a message (default 3s)
  --agent-outcome WORD     completed, unchanged (no pull request), failed or archived (default completed)
  --messages-per-hour N    messages of a project, 429 beyond it (default 100)
  --message-window D       another window than the hour

What the API text leaves open
  --start-status N         200, 201 or 202 (default 201)
  --running-status WORD    status of a job that runs (default running)
  --progress STYLE         percent, fraction, text, object or none (default percent)
  --expires-at STYLE       iso, isoNoOffset, isoOffset, epochSeconds or epochMilliseconds (default iso)
  --no-page-count          leave pageCount out
  --times                  tell startedAt and completedAt
  --no-extra-fields        only the fields that the API text names

Faults
  --fault OP:KIND[:COUNT]  the next COUNT (default 1) requests of an operation meet a fault; may be repeated
                           OP: startExport, getExport, createBundle, sendMessage, getAgentJob, download, other
                           KIND: a status, reset, lostAnswer, hang, brokenBody, truncate, delay=D or lateAnswer=D

  --openapi                print the API as an OpenAPI 3.1 document, which is also at /openapi.json
  -h, --help               this text
`;

/** A command line that cannot be understood; the message says which flag and what it takes. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
