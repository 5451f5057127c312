import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { redirectedCredentials } from "../../../../provider/settings/redirectedCredentials";
import { type GivenSettings, readSettings, requireSettings } from "../../../../provider/settings/settings";
import { journal, projectId } from "../../../../provider/settings/settingTable";
import { type Lookup, readAlone } from "../../../../provider/settings/sources";
import { ConfigurationError } from "../../../../provider/support/errors";
import { isLoopback } from "../../../../provider/support/hostNames";
import { authority, trustedClient, trustedServer } from "../../../support/certificate";
import { noTls } from "../../../support/clientUnderTest";

const good = { DOCS_PLATFORM_API_KEY: "svc_key", DOCS_PLATFORM_BASE_URL: "https://api.example.com/admin/" };

const lookUpIn =
  (values: Record<string, string> = {}): Lookup =>
  (name) =>
    values[name];

function read(environment: Record<string, string>, config: Record<string, string> = {}): GivenSettings {
  const settings = readSettings({ environment: { ...good, ...environment }, config: lookUpIn(config) });
  if (Array.isArray(settings)) {
    throw new Error(settings.map(({ reason }) => reason).join("; "));
  }
  return settings;
}

function problems(environment: Record<string, string>, config: Record<string, string> = {}): string[] {
  const settings = readSettings({ environment: { ...good, ...environment }, config: lookUpIn(config) });
  return Array.isArray(settings) ? settings.map(({ reason }) => reason) : [];
}

describe("readSettings", () => {
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
      journal: { place: undefined, required: false, notStarted: [] },
      linkHosts: undefined,
      tls: noTls,
      headers: [],
    });
  });

  it("lets limits be waited out unless it is set how often to try", () => {
    expect(read({ DOCS_PLATFORM_API_KEY: "svc_new" })).toMatchObject({ maxRetries: 4, waitsOutLimits: true });
    const given = { DOCS_PLATFORM_API_KEY: "svc_new", DOCS_PLATFORM_MAX_RETRIES: "4" };
    expect(read(given)).toMatchObject({ maxRetries: 4, waitsOutLimits: false });
  });

  it("takes the environment before the stack's configuration", () => {
    const config = { apiKey: "svc_old", maxRetries: "1" };
    expect(read({ DOCS_PLATFORM_API_KEY: "svc_new", DOCS_PLATFORM_MAX_RETRIES: "2" }, config)).toMatchObject({
      apiKey: "svc_new",
      maxRetries: 2,
    });
  });

  it("reads the journal's place where all other settings are missing", () => {
    const config = lookUpIn({ journal: "/stack" });
    expect(readAlone(journal, { environment: { DOCS_PLATFORM_JOURNAL: " /mine\n" }, config })).toBe("/mine");
    expect(readAlone(journal, { environment: { DOCS_PLATFORM_API_KEY: "" }, config })).toBe("/stack");
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
      notStarted: "0123456789ab , ba9876543210",
      linkHosts: "files.example.com, *.S3.example.com,[::1]",
      headers: '{"X-Gateway":"token"}',
    };
    expect(readSettings({ config: lookUpIn(config) })).toEqual({
      apiKey: "svc_stack",
      baseUrl: "http://127.0.0.1:8080",
      origin: "http://127.0.0.1:8080",
      requestTimeout: 90_000,
      maxRetries: 0,
      waitsOutLimits: false,
      maxRequestsPerSecond: 0.5,
      projectId: "docs/ü 1",
      routes: { getAgentJob: "/v3/jobs/{id}", startExport: "/v3/exports" },
      journal: {
        place: "s3://bucket/journal",
        required: true,
        notStarted: ["0123456789ab", "ba9876543210"],
      },
      linkHosts: ["files.example.com", "*.s3.example.com", "[::1]"],
      tls: noTls,
      headers: [["X-Gateway", "token"]],
    });
  });

  it("names every problem at once, each with both ways to give the setting", () => {
    const found = readSettings({
      environment: { DOCS_PLATFORM_REQUEST_TIMEOUT: "5" },
      config: lookUpIn({ maxRetries: "many" }),
    });
    const problems = Array.isArray(found) ? found : [];
    expect(problems.map(({ setting }) => setting)).toEqual(["baseUrl", "requestTimeout", "maxRetries"]);
    const [url, timeout, retries] = problems.map(({ reason }) => reason);
    expect(url).toContain("DOCS_PLATFORM_BASE_URL");
    expect(url).toContain("pulumi config set docs-platform:baseUrl");
    expect(timeout).toContain("requestTimeout, read from DOCS_PLATFORM_REQUEST_TIMEOUT,");
    expect(retries).toContain("maxRetries, read from docs-platform:maxRetries,");
  });

  it("takes settings without a key, which only what sends needs", () => {
    expect(read({ DOCS_PLATFORM_API_KEY: " " })).toMatchObject({
      apiKey: undefined,
      origin: "https://api.example.com",
    });
  });
});

describe("what is refused", () => {
  const malformed: [string, string, string[]][] = [
    [
      "apiKey",
      "DOCS_PLATFORM_API_KEY",
      ["s3cr3t s3cr3t", "s3cr3té", "=s3cr3t", 's3cr3t"', "s3cr3t,x", "s3cr3t=x", "s3cr3t\0"],
    ],
    ["requestTimeout", "DOCS_PLATFORM_REQUEST_TIMEOUT", ["30", "0", "-1s", "11m", "1ns", "1d", "fast"]],
    ["maxRetries", "DOCS_PLATFORM_MAX_RETRIES", ["-1", "21", "1.5", "0x2", "many", "1e1"]],
    ["maxRequestsPerSecond", "DOCS_PLATFORM_MAX_REQUESTS_PER_SECOND", ["0", "-1", "1001", "NaN", "Infinity", "fast"]],
    ["projectId", "DOCS_PLATFORM_PROJECT_ID", [".", "..", "\ud800"]],
    ["journalRequired", "DOCS_PLATFORM_JOURNAL_REQUIRED", ["yes", "1", "TRUE"]],
    ["notStarted", "DOCS_PLATFORM_NOT_STARTED", ["all", "0123456789a", "0123456789ab;0123456789ab", "0123456789AB"]],
    [
      "routes",
      "DOCS_PLATFORM_ROUTES",
      [
        ...["/v2/{id}", "[]", "null", '{"getAgentJob":7}', '{"getJob":"/{id}"}', '{"toString":"/{id}"}'],
        ...['{"startExport":"/jobs/{jobId}"}', '{"getExport":"/jobs"}', '{"generateBundle":"/jobs/{id}"}'],
        ...['{"sendMessage":"/{projectId}/message"}', '{"getExport":"/{projectId}/{jobId}"}', '{"startExport":""}'],
        ...[
          ...["v2/jobs/{id}", "/v2/jobs", "/v2/jobs/{projectId}", "//evil.test/{id}", "https://evil.test/{id}"],
          ...[
            "/v2/{id}?key=s3cr3t",
            "/v2/{id}#s3cr3t",
            "/v2/../{id}",
            "/v2/./{id}",
            "/{id}/..",
            "/v2 /{id}",
            "/v2\\{id}",
          ],
          ...["/{project}/{id}", "/{jobId}/{id}", "/{}/{id}", "/v2/{id", "/v2/{id}}", "/über/{id}", "/a\nb/{id}"],
        ].map((getAgentJob) => JSON.stringify({ getAgentJob })),
      ],
    ],
    [
      "linkHosts",
      "DOCS_PLATFORM_LINK_HOSTS",
      [
        ...["https://files.example.com", "files.example.com:443", "files.example.com/s3cr3t", "user@files.example.com"],
        ...[
          "a.test,,b.test",
          "a.test b.test",
          "*",
          "*.",
          "*.*.test",
          "a.*.test",
          "files.example.com?x",
          "[::1",
          "1.2.3.4.5",
        ],
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

  it.each([
    ["s3cr3t s3cr3t2", "contains a space"],
    ["s3cr3t\ns3cr3t2", "has more than one line"],
    ["Bearer s3cr3t", 'begins with a word such as "Bearer"'],
    ["Authorization: bearer s3cr3t", 'begins with a word such as "Bearer"'],
    ['"s3cr3t"', "has quotes around it"],
    ["'s3cr3t'", "has quotes around it"],
    ["$DOCS_KEY", "is not a bearer token (RFC 6750)"],
  ])("the admin API key %j: %s", (text, reason) => {
    expect(problems({ DOCS_PLATFORM_API_KEY: text })).toEqual([expect.stringContaining(`, ${reason}`)]);
    expect(problems({ DOCS_PLATFORM_API_KEY: text })[0]).not.toContain("s3cr3t");
  });

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
  ])("the base URL %s: %s", (text, reason) => {
    const found = problems({ DOCS_PLATFORM_BASE_URL: text });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(reason);
    expect(found[0]).not.toContain("s3cr3t");
  });

  it.each([
    ["https://api.example.com/v1", "use https://api.example.com"],
    ["https://api.example.com/v2/", "use https://api.example.com"],
    ["https://example.com/admin/v1//", "use https://example.com/admin"],
  ])("the base URL %s, whose version each request would repeat: %s", (text, right) => {
    const found = problems({ DOCS_PLATFORM_BASE_URL: text });
    expect(found).toEqual([expect.stringContaining(right)]);
  });

  it.each(["https://api.example.com/v3", "https://api.example.com/v1/admin", "https://v1.example.com/dev2"])(
    "but not the base URL %s, whose path is the platform's own",
    (text) => {
      expect(read({ DOCS_PLATFORM_BASE_URL: text }).baseUrl).toBe(text);
    },
  );

  it.each([
    "http://localhost:3000",
    "http://127.0.0.1:3000",
    "http://127.8.9.1",
    "http://[::1]:3000",
    "https://x.test",
  ])("but not the base URL %s", (text) => {
    expect(read({ DOCS_PLATFORM_BASE_URL: text }).origin).toBe(text);
  });

  it.each([
    "/{id}",
    "/v2/agent/{projectId}/job/{id}",
    "/jobs/{id}/of/{projectId}",
    "/agent-jobs/{id}.json",
    "/a:b/%20/{id}/",
    "/v2/...{id}",
  ])("but not the get-job path %s", (getAgentJob) => {
    expect(read({ DOCS_PLATFORM_ROUTES: JSON.stringify({ getAgentJob }) }).routes).toEqual({ getAgentJob });
  });

  it.each(["docs", "a/b", "ünï 日本", "...", "{id}"])("and not the project id %j", (text) => {
    expect(read({ DOCS_PLATFORM_PROJECT_ID: ` ${text}\n` }).projectId).toBe(text);
  });

  it("by requireSettings as one ConfigurationError that names all", () => {
    const missing = () => requireSettings({});
    expect(missing).toThrow(ConfigurationError);
    expect(missing).toThrow(/apiKey is missing.*baseUrl is missing/);
    const withoutKey = () => requireSettings({ environment: { ...good, DOCS_PLATFORM_API_KEY: "" } });
    expect(withoutKey).toThrow(
      "the setting apiKey is missing: set DOCS_PLATFORM_API_KEY in the environment, or run `pulumi config set --secret docs-platform:apiKey`, which asks for it; or set a file that contains it (DOCS_PLATFORM_API_KEY_FILE) or a command that prints it (DOCS_PLATFORM_API_KEY_COMMAND)",
    );
    expect(requireSettings({ environment: good }).apiKey).toBe("svc_key");
  });
});

it("only names and addresses of this machine are loopback", () => {
  expect(["localhost", "127.0.0.1", "127.255.0.9", "[::1]"].every(isLoopback)).toBe(true);
  expect(["localhost.evil.test", "128.0.0.1", "127.0.0.1.nip.test", "0.0.0.0", "[::]", ""].some(isLoopback)).toBe(
    false,
  );
});

describe("the project id alone", () => {
  it("is read by the same rules: the environment, then the stack, and a blank value is none", () => {
    const config = lookUpIn({ projectId: "of-the-stack" });
    expect(readAlone(projectId, { environment: { DOCS_PLATFORM_PROJECT_ID: " mine " }, config })).toBe("mine");
    expect(readAlone(projectId, { environment: { DOCS_PLATFORM_PROJECT_ID: " " }, config })).toBe("of-the-stack");
    expect(readAlone(projectId, { environment: {} })).toBeUndefined();
  });

  it("is told where another setting is missing, and is none where it is malformed itself", () => {
    expect(
      readAlone(projectId, { environment: { DOCS_PLATFORM_PROJECT_ID: "docs", DOCS_PLATFORM_API_KEY: "no key" } }),
    ).toBe("docs");
    expect(readAlone(projectId, { environment: { DOCS_PLATFORM_PROJECT_ID: ".." } })).toBeUndefined();
  });
});

describe("a key of the environment whose base URL", () => {
  const key = { DOCS_PLATFORM_API_KEY: "svc_s3cr3t" };
  const url = { DOCS_PLATFORM_BASE_URL: "https://ours.test" };
  const theirs = { baseUrl: "https://theirs.test/path" };

  it.each([
    ["the stack's configuration", lookUpIn(theirs), lookUpIn(), "docs-platform:baseUrl"],
    ["an argument of the provider", lookUpIn(), lookUpIn(theirs), "the provider's argument baseUrl"],
  ])("comes from %s goes where a change of the project says, which is told", (_, config, argument, source) => {
    const told = redirectedCredentials({ argument, environment: key, config });
    expect(told).toContain(`the key of DOCS_PLATFORM_API_KEY goes to https://theirs.test, which ${source} sets`);
    expect(told).not.toContain("s3cr3t");
  });

  it("is told of together with the headers and the client certificate of the environment, which go there too", () => {
    const told = redirectedCredentials({
      config: lookUpIn(theirs),
      environment: {
        ...key,
        DOCS_PLATFORM_HEADERS: '{"x-gateway":"s3cr3t"}',
        DOCS_PLATFORM_CLIENT_CERT_FILE: "/run/cert.pem",
      },
    });
    expect(told).toContain(
      "the key of DOCS_PLATFORM_API_KEY, the headers of DOCS_PLATFORM_HEADERS and the client certificate of DOCS_PLATFORM_CLIENT_CERT_FILE go to https://theirs.test, which",
    );
    expect(told).not.toContain("s3cr3t");
  });

  it("comes from the environment too, as the pages say, goes where this machine says", () => {
    expect(redirectedCredentials({ environment: { ...key, ...url }, config: lookUpIn(theirs) })).toBeUndefined();
  });

  it("is missing or malformed goes nowhere", () => {
    expect(redirectedCredentials({ environment: key })).toBeUndefined();
    expect(redirectedCredentials({ environment: key, config: lookUpIn({ baseUrl: "nowhere" }) })).toBeUndefined();
  });
});

it("a key that stands where its base URL does, or goes where the environment says, is not told of", () => {
  const config = { apiKey: "svc_key", baseUrl: "https://theirs.test" };
  expect(redirectedCredentials({ config: lookUpIn(config) })).toBeUndefined();
  expect(
    redirectedCredentials({ environment: { DOCS_PLATFORM_BASE_URL: "https://ours.test" }, config: lookUpIn(config) }),
  ).toBeUndefined();
  expect(
    redirectedCredentials({ environment: { DOCS_PLATFORM_API_KEY: "svc_x" }, argument: lookUpIn(config) }),
  ).toBeUndefined();
});

describe("what else this machine has, and a project sends elsewhere, is told of", () => {
  const theirs = { baseUrl: "https://theirs.test" };
  const withKey = { ...theirs, apiKey: "svc_own" };
  const keyFile: Record<string, string> = { ...theirs, apiKeyFile: "/run/key" };

  it.each<[string, NodeJS.ProcessEnv, Record<string, string>]>([
    ["the headers of DOCS_PLATFORM_HEADERS go", { DOCS_PLATFORM_HEADERS: '{"x-gateway":"s3cr3t"}' }, withKey],
    [
      "the client certificate of DOCS_PLATFORM_CLIENT_CERT_FILE goes",
      { DOCS_PLATFORM_CLIENT_CERT_FILE: "/run/cert.pem" },
      withKey,
    ],
    ["the file that docs-platform:apiKeyFile names goes", {}, keyFile],
  ])("%s", (told, environment, config) => {
    const redirected = redirectedCredentials({ environment, config: lookUpIn(config) });
    expect(redirected).toContain(`${told} to https://theirs.test, which docs-platform:baseUrl sets`);
    expect(redirected).not.toContain("s3cr3t");
    const ours = { ...environment, DOCS_PLATFORM_BASE_URL: "https://ours.test" };
    expect(redirectedCredentials({ environment: ours, config: lookUpIn(config) })).toBeUndefined();
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
    const argument = lookUpIn({ apiKeyFile: "/own/key" });
    expect(readSettings({ argument, environment: good, config: lookUpIn(command) })).toMatchObject({
      apiKey: { file: "/own/key", from: "the provider's argument apiKeyFile" },
    });
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

  it.each(["DOCS_PLATFORM_API_KEY_FILE", "DOCS_PLATFORM_API_KEY_COMMAND"])(
    "are told of where %s goes where the project says",
    (variable) => {
      const config = lookUpIn({ baseUrl: "https://theirs.test" });
      expect(redirectedCredentials({ environment: { [variable]: "x" }, config })).toContain(
        `the key of ${variable} goes to https://theirs.test`,
      );
      const argument = lookUpIn({ apiKey: "svc_own" });
      expect(redirectedCredentials({ argument, environment: { [variable]: "x" }, config })).toBeUndefined();
    },
  );
});

describe("more headers", () => {
  it.each([
    ['{"Authorization":"s3cr3t"}', "must not contain Authorization, which this provider sets itself"],
    ['{"host":"s3cr3t"}', "must not contain host"],
    ['{"Content-Type":"s3cr3t"}', "must not contain Content-Type"],
    ['{"User-Agent":"s3cr3t"}', "must not contain User-Agent"],
    ['{"Transfer-Encoding":"s3cr3t"}', "must not contain Transfer-Encoding, which belongs to the connection"],
    ['{"Proxy-Authorization":"s3cr3t"}', "must not contain Proxy-Authorization, which belongs to the connection"],
    ['{"X-A":"s3cr3t","x-a":"s3cr3t"}', "contains x-a twice"],
    ['{"X-A":"s3cr3t\\r\\nHost: x"}', "must have a string of ASCII characters without line breaks for X-A"],
    ['{"X-A":7}', "must have a string of ASCII characters without line breaks for X-A"],
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

describe("files of certificates", () => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const ca = file("ca.pem", `# a comment\r\n${authority}${authority}`);
  const cert = file("client.pem", trustedClient.cert);
  const key = file("client.key", trustedClient.key);
  const both = file("both.pem", `${trustedClient.key}${trustedClient.cert}`);

  it("are taken, also certificate and key in one", () => {
    const environment = { DOCS_PLATFORM_CA_FILE: ca, DOCS_PLATFORM_CLIENT_CERT_FILE: cert };
    expect(read({ ...environment, DOCS_PLATFORM_CLIENT_KEY_FILE: key }).tls).toEqual({
      caFile: ca,
      clientCertFile: cert,
      clientKeyFile: key,
    });
    expect(
      read({ DOCS_PLATFORM_CLIENT_CERT_FILE: both, DOCS_PLATFORM_CLIENT_KEY_FILE: both }).tls.caFile,
    ).toBeUndefined();
  });

  it.each([
    ["caFile", "DOCS_PLATFORM_CA_FILE", join(folder, "none"), "does not exist"],
    ["caFile", "DOCS_PLATFORM_CA_FILE", folder, "is a folder"],
    ["caFile", "DOCS_PLATFORM_CA_FILE", key, "contains no certificate in PEM format"],
    ["caFile", "DOCS_PLATFORM_CA_FILE", file("cut.pem", authority.replace(/MI.*\n/, "")), "contains no certificate"],
    ["clientCertFile", "DOCS_PLATFORM_CLIENT_CERT_FILE", file("empty", ""), "contains no certificate"],
    [
      "clientKeyFile",
      "DOCS_PLATFORM_CLIENT_KEY_FILE",
      ca,
      "contains no private key in PEM format, or an encrypted one",
    ],
  ])("are refused by name: %s, as %s=%s", (name, variable, path, told) => {
    const found = problems({ [variable]: path });
    expect(found).toEqual([
      expect.stringContaining(
        `the setting ${name}, read from ${variable}, names the file ${path}, but this file ${told}`,
      ),
    ]);
  });

  it("are refused where a certificate stands without its key, or with another one", () => {
    expect(problems({ DOCS_PLATFORM_CLIENT_CERT_FILE: cert })).toEqual([
      expect.stringContaining(
        "the setting clientCertFile is given without clientKeyFile: set DOCS_PLATFORM_CLIENT_KEY_FILE",
      ),
    ]);
    expect(problems({ DOCS_PLATFORM_CLIENT_KEY_FILE: key })).toEqual([
      expect.stringContaining("the setting clientKeyFile is given without clientCertFile"),
    ]);
    const other = file("other.key", trustedServer.key);
    expect(problems({ DOCS_PLATFORM_CLIENT_CERT_FILE: cert, DOCS_PLATFORM_CLIENT_KEY_FILE: other })).toEqual([
      expect.stringContaining("but its key does not belong to the certificate"),
    ]);
  });
});
