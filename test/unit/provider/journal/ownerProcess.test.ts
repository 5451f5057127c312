import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import { hostname } from "node:os";
import { describe, expect, it, vi } from "vitest";
import {
  areProcessAndEngineRunning,
  engineProcessFingerprint,
  identifyThisProcess,
  isListening,
  isRunning,
  type OwnerProcess,
  parseOwnerProcess,
} from "../../../../provider/journal/ownerProcess";
import { readOsProcessInfo } from "../../../../provider/support/processes";
import { closedPort, listen } from "../../../support/loopback";
import { nobody, spawnAs } from "../../../support/secondUser";
import { until } from "../../../support/until";

const endedPid = () => spawnSync(process.execPath, ["-e", ""]).pid;
const engine = async () => `127.0.0.1:${(await listen(net.createServer())).port}`;

describe("an owner", () => {
  it("names host, pid, begin and engine of this process, and reads back as it was written", () => {
    const owner = identifyThisProcess("127.0.0.1:1");
    expect(owner).toMatchObject({ host: hostname(), pid: process.pid, engine: "127.0.0.1:1" });
    expect(parseOwnerProcess(JSON.parse(JSON.stringify(owner)))).toEqual(owner);
    expect(identifyThisProcess(undefined).engine).toBe("");
  });

  it.each([undefined, null, 1, "text", {}, { host: "h", pid: "1", began: "", engine: "" }])("is not %j", (value) => {
    expect(parseOwnerProcess(value)).toBeUndefined();
  });
});

describe("an owner is at work", () => {
  it("while its process runs and its engine listens", async () => {
    expect(await areProcessAndEngineRunning(identifyThisProcess(await engine()))).toBe(true);
  });

  it("while its process runs and its engine, which listens nowhere, does", async () => {
    const own = engineProcessFingerprint(process.pid);
    expect(await areProcessAndEngineRunning(identifyThisProcess(own))).toBe(true);
    for (const text of [`x${own}`, `${own} x`, own.replace(" ", " x"), engineProcessFingerprint(endedPid())]) {
      expect(await areProcessAndEngineRunning(identifyThisProcess(text)), text).toBe(false);
    }
  });

  it("not where its engine is gone, or was never known: what it finds out reaches nobody", async () => {
    expect(await areProcessAndEngineRunning(identifyThisProcess(`127.0.0.1:${closedPort}`))).toBe(false);
    expect(await areProcessAndEngineRunning(identifyThisProcess(undefined))).toBe(false);
  });

  const others: [string, (owner: OwnerProcess) => Promise<Partial<OwnerProcess>>][] = [
    ["its process has ended", async () => ({ pid: endedPid(), began: "" })],
    ["it is on another host", async () => ({ host: "another" })],
    // The provider knows the begin of a process only on Linux. On other systems, this case changes the host instead.
    [
      "its pid is another process by now",
      async ({ began, host }) => (began ? { began: `${began}1` } : { host: `${host}1` }),
    ],
  ];
  it.each(others)("not where %s", async (_, change) => {
    const owner = identifyThisProcess(await engine());
    expect(await areProcessAndEngineRunning({ ...owner, ...(await change(owner)) })).toBe(false);
  });

  it.runIf(process.platform === "linux")(
    "not where its process has ended, and nobody has asked for its exit code",
    async () => {
      // The shell becomes `sleep`, which never reads its child's exit code. Many containers have such a first process.
      const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "inherit"] });
      try {
        const [text] = await once(parent.stdout, "data");
        const pid = Number(text);
        const { began = "" } = readOsProcessInfo(pid) ?? {};
        const owner = { ...identifyThisProcess(await engine()), pid, began };
        // A shell reads the exit code of an ended child, and the child's process then disappears. So the test waits
        // until the shell has become `sleep`.
        await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8").trim() === "sleep");
        process.kill(pid, "SIGKILL");
        await until(() => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "));
        expect(began).toMatch(/^\d+$/);
        expect(isRunning(owner)).toBe(false);
        expect(await areProcessAndEngineRunning(owner)).toBe(false);
      } finally {
        parent.kill("SIGKILL");
      }
    },
  );

  it("not where it is the machine's first process, or one without a begin that this machine shows", async () => {
    const first = {
      ...identifyThisProcess(engineProcessFingerprint(1)),
      pid: 1,
      began: readOsProcessInfo(1)?.began ?? "",
    };
    expect(await areProcessAndEngineRunning(first)).toBe(false);
    const others = [1, process.pid, process.ppid].flatMap((pid) => ["", "0", "1e9"].map((began) => ({ pid, began })));
    for (const claim of process.platform === "linux" ? others : []) {
      expect(isRunning({ ...identifyThisProcess(undefined), ...claim })).toBe(false);
    }
  });

  it.runIf(process.platform === "linux")("not where its pid is another user's process that began later", () => {
    const kill = vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("not permitted"), { code: "EPERM" });
    });
    try {
      const owner = {
        ...identifyThisProcess(undefined),
        pid: process.ppid,
        began: readOsProcessInfo(process.ppid)?.began ?? "",
      };
      expect([owner.began, "1", ""].map((began) => isRunning({ ...owner, began }))).toEqual([true, false, false]);
    } finally {
      kill.mockRestore();
    }
  });
});

describe.runIf(process.platform === "linux")("an owner is no process of", () => {
  const claim = (pid: number) => {
    const { began = "" } = readOsProcessInfo(pid) ?? {};
    const owner = { ...identifyThisProcess(engineProcessFingerprint(process.pid)), pid, began };
    return Promise.all([
      isRunning(owner),
      areProcessAndEngineRunning({ ...identifyThisProcess(undefined), engine: engineProcessFingerprint(pid) }),
    ]);
  };

  it("another program, although it runs", async () => {
    const other = spawn("sleep", ["60"]);
    try {
      await until(() => readFileSync(`/proc/${other.pid}/comm`, "utf8").trim() === "sleep");
      // The provider does not check which program an engine is, so it takes any process for an engine.
      expect(await claim(Number(other.pid))).toEqual([false, true]);
    } finally {
      other.kill("SIGKILL");
    }
  });

  it.runIf(process.getuid?.() === 0)("another user, although it runs the same program", async () => {
    const other = spawnAs(nobody, "console.log(1); setTimeout(() => {}, 60000)");
    try {
      await once(other.stdout, "data");
      expect(await claim(Number(other.pid))).toEqual([false, false]);
    } finally {
      other.kill("SIGKILL");
    }
  });

  it("a foreign program, but it is one of the program of this process", async () => {
    const other = spawn(process.execPath, ["-e", "console.log(1); setTimeout(() => {}, 60000)"]);
    try {
      await once(other.stdout, "data");
      expect(await claim(Number(other.pid))).toEqual([true, true]);
    } finally {
      other.kill("SIGKILL");
    }
  });
});

describe("isListening", () => {
  it.each(["", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "example.com:80", "unix:/x:1"])(
    "asks nothing of %j, which is no address of this machine",
    async (address) => {
      expect(await isListening(address)).toBe(false);
    },
  );

  it("asks this machine by the address alone", async () => {
    const address = await engine();
    const texts = [address, address.replace("127.0.0.1", "localhost"), `${address}/path`, `x${address}`];
    expect(await Promise.all(texts.map(isListening))).toEqual([true, true, false, false]);
  });

  it("closes its connection", async () => {
    const server = net.createServer();
    const closed = once(server, "connection").then(
      ([socket]: net.Socket[]) => socket && once(socket.resume(), "close"),
    );
    expect(await isListening(`127.0.0.1:${(await listen(server)).port}`)).toBe(true);
    await closed;
  });
});
