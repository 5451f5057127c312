import { describe, expect, it } from "vitest";
import { CheckedSettings } from "../../../../provider/settings/settings";
import {
  allSettings,
  type SettingConsumer,
  settingSourcesByPrecedence,
} from "../../../../provider/settings/settingTable";
import { ConfigurationError } from "../../../../provider/support/errors";
import { noTls } from "../../../support/clientUnderTest";
import {
  given,
  goodEnvironment as good,
  lookupOf,
  problemsOf as problems,
  settingsFrom as read,
} from "../../../support/settingsUnderTest";

describe("the settings", () => {
  it("gives the defaults, and the base URL without its trailing slash", () => {
    expect(read({})).toEqual({
      apiKey: "svc_key",
      baseUrl: "https://api.example.com/admin",
      origin: "https://api.example.com",
      requestTimeout: 30_000,
      maxRetries: 4,
      waitsOutLimits: true,
      maxRequestsPerSecond: undefined,
      projectId: undefined,
      routes: {},
      journal: { place: undefined, required: false },
      tls: noTls,
      headers: [],
    });
  });

  it("lets limits be waited out unless it is set how often to try", () => {
    expect(read({ DOCS_PLATFORM_API_KEY: "svc_new" })).toMatchObject({ maxRetries: 4, waitsOutLimits: true });
    const given = { DOCS_PLATFORM_API_KEY: "svc_new", DOCS_PLATFORM_MAX_RETRIES: "4" };
    expect(read(given)).toMatchObject({ maxRetries: 4, waitsOutLimits: false });
  });

  it.each(["", "  ", "\n"])("counts the blank value %j as unset, in the environment and in the stack", (blank) => {
    const config = { apiKey: "svc_stack", requestTimeout: blank };
    expect(read({ DOCS_PLATFORM_API_KEY: blank, DOCS_PLATFORM_REQUEST_TIMEOUT: blank }, config)).toMatchObject({
      apiKey: "svc_stack",
      requestTimeout: 30_000,
    });
  });

  it("reads every setting from the stack too, and drops the line end of a key read from a file", () => {
    const config = {
      apiKey: "svc_stack\n",
      baseUrl: "http://127.0.0.1:8080",
      requestTimeout: "1m30s",
      maxRetries: "0",
      maxRequestsPerSecond: "0.5",
      projectId: "docs/ü 1",
      routes: '{"getAgentJob":"/v3/jobs/{id}","startExport":"/v3/exports"}',
      journal: "s3://bucket/journal",
      journalRequired: "true",
      headers: '{"X-Gateway":"token"}',
    };
    const found = new CheckedSettings({ config: lookupOf(config) });
    expect({ ...found.need("requests"), journal: found.need("journal") }).toEqual({
      apiKey: "svc_stack",
      baseUrl: "http://127.0.0.1:8080",
      origin: "http://127.0.0.1:8080",
      requestTimeout: 90_000,
      maxRetries: 0,
      waitsOutLimits: false,
      maxRequestsPerSecond: 0.5,
      projectId: "docs/ü 1",
      routes: { getAgentJob: "/v3/jobs/{id}", startExport: "/v3/exports" },
      journal: { place: "s3://bucket/journal", required: true },
      tls: noTls,
      headers: [["X-Gateway", "token"]],
    });
  });

  it("names every problem at once, each with both ways to give the setting", () => {
    const { problems: found } = new CheckedSettings({
      environment: { DOCS_PLATFORM_REQUEST_TIMEOUT: "5" },
      config: lookupOf({ maxRetries: "many" }),
    });
    const [url, timeout, retries, ...others] = found;
    expect(others).toEqual([]);
    expect(url).toContain("DOCS_PLATFORM_BASE_URL");
    expect(url).toContain("pulumi config set docs-platform:baseUrl");
    expect(timeout).toContain("requestTimeout, read from DOCS_PLATFORM_REQUEST_TIMEOUT,");
    expect(retries).toContain("maxRetries, read from docs-platform:maxRetries,");
  });
});

describe("a path", () => {
  const settings = ["apiKeyFile", "signingKeyFile", "caFile", "clientCertFile", "clientKeyFile", "journal"] as const;

  it.each(
    settings.flatMap((name) => ["mine", "./mine/x.pem", "../mine", "~/mine"].map((path) => [name, path] as const)),
  )("of the setting %s is refused if the folder of the run changes its meaning: %s", (name, path) => {
    const { problems: found } = new CheckedSettings({
      environment: { ...good, ...(name === "apiKeyFile" && { DOCS_PLATFORM_API_KEY: "" }) },
      config: lookupOf({ [name]: path }),
    });
    expect(found.filter((problem) => problem.includes("must be an absolute path"))).toEqual([
      expect.stringContaining(`the setting ${name}, read from docs-platform:${name},`),
    ]);
  });
});

describe("what is refused", () => {
  const malformed: [string, string, string[]][] = [
    [
      "apiKey",
      "DOCS_PLATFORM_API_KEY",
      [
        "s3cr3t s3cr3t",
        "s3cr3t\ns3cr3t2",
        "Bearer s3cr3t",
        "Authorization: bearer s3cr3t",
        "$DOCS_KEY",
        "s3cr3té",
        "=s3cr3t",
        's3cr3t"',
        "s3cr3t,x",
        "s3cr3t=x",
        "s3cr3t\0",
      ],
    ],
    ["requestTimeout", "DOCS_PLATFORM_REQUEST_TIMEOUT", ["30", "0", "-1s", "11m", "1ns", "1d", "fast"]],
    ["maxRetries", "DOCS_PLATFORM_MAX_RETRIES", ["-1", "21", "1.5", "0x2", "many", "1e1"]],
    ["maxRequestsPerSecond", "DOCS_PLATFORM_MAX_REQUESTS_PER_SECOND", ["0", "-1", "1001", "NaN", "Infinity", "fast"]],
    ["projectId", "DOCS_PLATFORM_PROJECT_ID", [".", "..", "\ud800"]],
    ["journalRequired", "DOCS_PLATFORM_JOURNAL_REQUIRED", ["yes", "1", "TRUE"]],
    [
      "routes",
      "DOCS_PLATFORM_ROUTES",
      [
        ...["/v2/{id}", "[]", "null", '{"getAgentJob":7}', '{"getJob":"/{id}"}', '{"toString":"/{id}"}'],
        ...['{"startExport":"/jobs/{jobId}"}', '{"getExport":"/jobs"}', '{"generateBundle":"/jobs/{id}"}'],
        ...['{"startExport":"GET /jobs"}', '{"sendMessage":"GET /{projectId}/{id}"}', '{"getExport":"PUT /{jobId}"}'],
        ...['{"getExport":"get /{jobId}"}', '{"getExport":"GET  /{jobId}"}', '{"getExport":"GET {jobId}"}'],
        ...['{"sendMessage":"/{projectId}/message"}', '{"getExport":"/{id}/{jobId}"}', '{"startExport":""}'],
        ...[
          ...["v2/jobs/{id}", "/v2/jobs", "/v2/jobs/{projectId}", "//evil.test/{id}", "https://evil.test/{id}"],
          ...["/v2/{id}?key=s3cr3t", "/v2/{id}#s3cr3t", "/v2/../{id}", "/v2/./{id}", "/{id}/.."],
          ...["/v2/%2e%2e/{id}", "/v2/.%2E/{id}", "/%2e/{id}", "/{id}/%2E."],
          ...["/v2 /{id}", "/v2\\{id}"],
          ...["/{project}/{id}", "/{jobId}/{id}", "/{}/{id}", "/v2/{id", "/v2/{id}}", "/über/{id}", "/a\nb/{id}"],
        ].map((getAgentJob) => JSON.stringify({ getAgentJob })),
      ],
    ],
  ];

  it.each(malformed.flatMap(([name, variable, texts]) => texts.map((text) => [name, variable, text] as const)))(
    "%s, as %s=%s",
    (name, variable, text) => {
      const found = problems({ [variable]: text });
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(`the setting ${name}, read from ${variable},`);
      expect(found[0]).toContain(`docs-platform:${name}${name === "apiKey" ? "`, which asks for it" : " <value>"}`);
      expect(found[0]).not.toContain("s3cr3t");
    },
  );

  it.each(["svc_s3cr3t", "s3cr3t", "SK-live.4~a+b/c==", "eyJhbGciOiJIUzI1NiJ9.e30.x-y_z", "7"])(
    "but not the admin API key %s: a bearer token has any prefix, or none",
    (text) => {
      expect(read({ DOCS_PLATFORM_API_KEY: `${text}\n` }).apiKey).toBe(text);
    },
  );

  it.each([
    ["http://api.example.com", "must use https"],
    ["http://127.0.0.1.example.com", "must use https"],
    ["http://localhost.example.com", "must use https"],
    ["http://[::2]", "must use https"],
    ["ftp://api.example.com", "must use https"],
    ["file:///etc", "must use https"],
    ["api.example.com", "is not a URL"],
    ["https://", "is not a URL"],
    ["https://s3cr3t@api.example.com", "must not contain a user name"],
    ["https://user:s3cr3t@api.example.com", "must not contain a user name"],
    ["https://api.example.com?key=s3cr3t", "must not contain a query"],
    ["https://api.example.com/#s3cr3t", "or a fragment"],
    ["https://api.example.com/?", "must not contain a query"],
    ["https://api.example.com#", "or a fragment"],
    ["https://@api.example.com", "must not contain a user name"],
    ["https://:@api.example.com", "must not contain a user name"],
    ["https:s3cr3t@api.example.com", "must not contain a user name"],
    ["https://api.example.com/s3cr3t docs", "must not contain a blank"],
    ["https://api.exam\tple.com/s3cr3t", "must not contain a blank"],
    ["https://api.example.com/a\nb", "must not contain a blank"],
    ["https:\\\\api.example.com", "a blank or a backslash"],
    ["https://api.example.com/v1", "use https://api.example.com:"],
    ["https://api.example.com/v2/", "use https://api.example.com:"],
    ["https://example.com/admin/v1//", "use https://example.com/admin:"],
  ])("the base URL %s: %s", (text, reason) => {
    const found = problems({ DOCS_PLATFORM_BASE_URL: text });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(reason);
    expect(found[0]).not.toContain("s3cr3t");
  });

  it.each([
    ...["https://api.example.com/v3", "https://api.example.com/v1/admin", "https://v1.example.com/dev2"],
    ...["https://api.example.com/@scope/api"],
    ...["http://localhost:3000", "http://127.0.0.1:3000", "http://127.8.9.1", "http://[::1]:3000"],
  ])("but not the base URL %s", (text) => {
    expect(read({ DOCS_PLATFORM_BASE_URL: text }).baseUrl).toBe(text);
  });

  it.each([
    "/{id}",
    "/v2/agent/{projectId}/job/{id}",
    "/jobs/{id}/of/{projectId}",
    "/agent-jobs/{id}.json",
    "/a:b/%20/{id}/",
    "/v2/...{id}",
    "GET /{id}",
    "POST /v2/agent/{projectId}/job/{id}",
  ])("but not the get-job path %s", (getAgentJob) => {
    expect(read({ DOCS_PLATFORM_ROUTES: JSON.stringify({ getAgentJob }) }).routes).toEqual({ getAgentJob });
  });

  describe.each(["startExport", "getExport", "generateBundle"])("a path of %s with {projectId}", (operation) => {
    const template = operation === "startExport" ? "/{projectId}/jobs" : "/{projectId}/jobs/{jobId}";
    const routes = { DOCS_PLATFORM_ROUTES: JSON.stringify({ [operation]: template }) };

    it("is accepted where the project id is set, and refused elsewhere: no resource names the project of an export", () => {
      expect(read({ ...routes, DOCS_PLATFORM_PROJECT_ID: "docs" }).routes).toEqual({ [operation]: template });
      expect(problems(routes)).toEqual([
        `the setting routes has {projectId} in the path of ${operation}, but the setting projectId is missing: set DOCS_PLATFORM_PROJECT_ID in the environment, or run \`pulumi config set docs-platform:projectId <value>\` (the API keys page of the dashboard shows the project id)`,
      ]);
    });
  });

  it.each(["docs", "a/b", "ünï 日本", "...", "{id}"])("and not the project id %j", (text) => {
    expect(read({ DOCS_PLATFORM_PROJECT_ID: ` ${text}\n` }).projectId).toBe(text);
  });

  it("by a request as one ConfigurationError that names all", () => {
    const missing = () => new CheckedSettings({}).need("requests");
    expect(missing).toThrow(ConfigurationError);
    expect(missing).toThrow(/apiKey is missing.*baseUrl is missing/);
    const withoutKey = () => given({ DOCS_PLATFORM_API_KEY: "" }).need("requests");
    expect(withoutKey).toThrow(
      "the setting apiKey is missing: set DOCS_PLATFORM_API_KEY in the environment, or run `pulumi config set --secret docs-platform:apiKey`, which asks for it; or set a file that contains it (DOCS_PLATFORM_API_KEY_FILE) or a command that prints it (DOCS_PLATFORM_API_KEY_COMMAND)",
    );
    expect(new CheckedSettings({ environment: good }).need("requests").apiKey).toBe("svc_key");
  });
});

describe("a problem of one setting", () => {
  const needs = {
    platform: ["platform"],
    requests: ["key", "platform"],
    signing: ["signing"],
    journal: ["journal"],
  } satisfies Record<string, SettingConsumer[]>;
  /** A text that is invalid for every setting. As a path, it names no file. */
  const wrong = "\ud800\n'";
  const canBeWrong = allSettings.filter(({ parse }) => {
    const parsed = parse(wrong);
    return typeof parsed === "object" && parsed !== null && "problem" in parsed;
  });

  it("can be made for each part but a name alone", () => {
    expect(new Set(canBeWrong.map(({ part }) => part))).toEqual(new Set(["key", "platform", "signing", "journal"]));
  });

  it.each(canBeWrong)("blocks only what needs its part, and the others have their values: $name", (setting) => {
    const found = given({ DOCS_PLATFORM_API_KEY: setting.part === "key" ? "" : "svc_key", [setting.variable]: wrong });
    for (const [need, parts] of Object.entries(needs) as [keyof typeof needs, SettingConsumer[]][]) {
      const isBlocked = parts.includes(setting.part);
      expect(found.has(need), need).toBe(!isBlocked);
      const use = () => found.need(need);
      isBlocked ? expect(use).toThrow(setting.variable) : expect(use).not.toThrow();
    }
    expect(found.problems).toEqual([expect.stringContaining(`the setting ${setting.name}, read from`)]);
    const others = { projectId: "docs", journal: "/srv/journal" };
    const { values } = given({}, { ...others, [setting.name]: wrong });
    expect({ ...others, ...values }).toMatchObject(setting.name in others ? {} : others);
  });

  it("is no other one's: without the base URL and the key, what needs neither has all that it needs", () => {
    const found = new CheckedSettings({ environment: {}, config: lookupOf({ projectId: "docs", journal: "/srv/j" }) });
    expect(found.values).toMatchObject({ projectId: "docs", journal: "/srv/j" });
    expect(found.need("journal")).toEqual({ place: "/srv/j", required: false });
    expect([found.has("platform"), found.lacksKey]).toEqual([false, true]);
  });

  it("is reported once, and its sources are asked once, whatever is needed and how often", () => {
    let looks = 0;
    const found = new CheckedSettings({
      config: (name) => {
        looks++;
        return { baseUrl: "https://api.example.com", apiKey: "svc_key" }[name];
      },
    });
    const looksOfFirst = looks;
    for (const need of Object.keys(needs) as (keyof typeof needs)[]) {
      found.need(need);
    }
    expect([looks > 0, looks]).toEqual([true, looksOfFirst]);
  });
});

describe("one setting alone", () => {
  it("is read by the same rules: the environment, then the stack, and a blank value is none", () => {
    const config = lookupOf({ journal: "/stack" });
    const journalOf = (DOCS_PLATFORM_JOURNAL: string, stack = config) =>
      new CheckedSettings({ environment: { DOCS_PLATFORM_JOURNAL }, config: stack }).values.journal;
    expect(journalOf(" /mine\n")).toBe("/mine");
    expect(journalOf(" ")).toBe("/stack");
    expect(journalOf("", lookupOf())).toBeUndefined();
  });
});

describe("a place that must not give a setting", () => {
  const withheld = allSettings.flatMap((setting) =>
    settingSourcesByPrecedence.filter((place) => !setting.from.includes(place)).map((place) => ({ setting, place })),
  );

  it("is the state's copy for programs and secret files, and any project for what only the machine may say", () => {
    const listed = withheld.map(({ setting: { variable }, place }) => `${variable}: ${place}`);
    expect(listed).toEqual([
      "DOCS_PLATFORM_API_KEY_FILE: stateCopy",
      "DOCS_PLATFORM_API_KEY_COMMAND: stateCopy",
      "DOCS_PLATFORM_SIGNING_KEY_FILE: stateCopy",
      "DOCS_PLATFORM_SIGNING_KEY_COMMAND: stateCopy",
      "DOCS_PLATFORM_CLIENT_KEY_FILE: stateCopy",
      ...["stateCopy", "config"].map((place) => `DOCS_PLATFORM_JOURNAL_SCOPE: ${place}`),
      ...["argument", "stateCopy", "config"].map((place) => `DOCS_PLATFORM_SECRETS_ONLY_TO: ${place}`),
    ]);
  });

  it.each(withheld)("gives none: $place, $setting.name", ({ setting, place }) => {
    const of = lookupOf({ [setting.name]: "https://given.test" });
    const readFrom = (lookup: typeof of) => {
      const { values, problems, lacksKey } = new CheckedSettings({ environment: good, [place]: lookup });
      return { values, problems, lacksKey };
    };
    expect(readFrom(of)).toEqual(readFrom(lookupOf()));
  });
});

describe("the ways to give the key", () => {
  const file = { DOCS_PLATFORM_API_KEY: "", DOCS_PLATFORM_API_KEY_FILE: "/run/key" };

  it("are the key itself, a file or a command, of the first level that gives one", () => {
    const stackKey = { apiKey: "svc_stack" };
    expect(read(file, stackKey).apiKey).toEqual({ file: "/run/key", from: "DOCS_PLATFORM_API_KEY_FILE" });
    const command = { apiKeyCommand: "vault read 'my key'" };
    expect(read({ DOCS_PLATFORM_API_KEY: "" }, command).apiKey).toEqual({
      command: ["vault", "read", "my key"],
      from: "docs-platform:apiKeyCommand",
    });
    const argument = lookupOf({ apiKeyFile: "/own/key" });
    const found = new CheckedSettings({ argument, environment: good, config: lookupOf(command) });
    expect(found.values.apiKey).toEqual({ file: "/own/key", from: "the provider's argument apiKeyFile" });
  });

  it("are refused by name where one level gives two, and not where two levels give one each", () => {
    const two = problems({ DOCS_PLATFORM_API_KEY_COMMAND: "vault read s3cr3t" });
    expect(two).toEqual([
      "the API key is set twice, by DOCS_PLATFORM_API_KEY and by DOCS_PLATFORM_API_KEY_COMMAND: remove one of them",
    ]);
    expect(problems({ DOCS_PLATFORM_API_KEY_COMMAND: " " })).toEqual([]);
    expect(problems({}, { apiKeyFile: "/run/key" })).toEqual([]);
  });

  it.each([["a 'b"], ['""']])("are refused where the command is none: %s", (text) => {
    const found = problems({ DOCS_PLATFORM_API_KEY: "", DOCS_PLATFORM_API_KEY_COMMAND: text });
    expect(found).toEqual([
      expect.stringContaining("the setting apiKeyCommand, read from DOCS_PLATFORM_API_KEY_COMMAND,"),
    ]);
  });
});

describe("more headers", () => {
  it.each([
    ['{"Authorization":"s3cr3t"}', "must not contain Authorization"],
    ['{"host":"s3cr3t"}', "must not contain host"],
    ['{"Content-Type":"s3cr3t"}', "must not contain Content-Type"],
    ['{"User-Agent":"s3cr3t"}', "must not contain User-Agent"],
    ['{"Transfer-Encoding":"s3cr3t"}', "must not contain Transfer-Encoding"],
    ['{"Proxy-Authorization":"s3cr3t"}', "must not contain Proxy-Authorization"],
    ['{"X-A":"s3cr3t","x-a":"s3cr3t"}', "contains x-a twice"],
    ['{"X-A":"s3cr3t\\r\\nHost: x"}', "has a value for X-A that HTTP does not allow"],
    ['{"X-A":7}', "must be a JSON object with string values"],
    ['{"X A":"s3cr3t"}', "has an invalid header name"],
    ['["s3cr3t"]', "must be a JSON object with string values"],
    ["s3cr3t", "must be a JSON object with string values"],
  ])("are refused by name, without their values: %s", (text, told) => {
    const found = problems({ DOCS_PLATFORM_HEADERS: text });
    expect(found).toEqual([expect.stringContaining(`the setting headers, read from DOCS_PLATFORM_HEADERS, ${told}`)]);
    expect(found[0]).not.toContain("s3cr3t");
  });

  it("may have any other name, also one that our own answers use", () => {
    expect(read({ DOCS_PLATFORM_HEADERS: '{"problem":"x","Cookie":"a=b"}' }).headers).toEqual([
      ["problem", "x"],
      ["Cookie", "a=b"],
    ]);
  });
});
