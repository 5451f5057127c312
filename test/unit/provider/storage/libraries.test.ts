import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { destinationSchemes } from "../../../../provider/storage/destination";
import type { DestinationScheme } from "../../../../provider/storage/scheme";
import { projectRoot } from "../../../../tools/projectRoot";
import { temporaryFolder } from "../../../support/temporaryFolder";

/** For each optional library, the address of a destination that needs the library. */
const places = Object.values<DestinationScheme<unknown>>(destinationSchemes).flatMap(({ example, library }) =>
  library === undefined ? [] : [{ example: example.replace(/\?.*/, ""), ...library }],
);

it("without its library, a mirror and a journal in an object storage name the command that installs it, in the preview already", () => {
  const modules = join(temporaryFolder(), "node_modules");
  const installed = join(modules, "pulumi-docs-platform");
  mkdirSync(installed, { recursive: true });
  for (const part of ["package.json", "dist"]) {
    cpSync(join(projectRoot, part), join(installed, part), { recursive: true });
  }
  for (const name of ["undici", "zod", "mime-types", "tar-stream", "yauzl"]) {
    symlinkSync(join(projectRoot, "node_modules", name), join(modules, name));
  }
  const script = `
    const load = (file) => require("./node_modules/pulumi-docs-platform/dist/provider/" + file);
    const { openStore } = load("mirror/index.js");
    const { parseDestination } = load("storage/destination.js");
    const { journalPlaceProblem, openJournal } = load("journal/openJournal.js");
    const { resources } = load("resources/index.js");
    const { check } = load("engine/check.js");
    const told = ["file:///docs", ...process.argv.slice(1)].map(async (place) => {
      const opened = await openStore(parseDestination(place), { plainLoopback: false }).then(() => {}, ({ message }) => message);
      const inputs = { jobId: "job-1", destination: place };
      const { failures } = check(resources.BundleMirror, inputs, { values: {}, problems: [], isKnown: () => true });
      return { opened, journal: journalPlaceProblem(place.replace("file://", "")), failures };
    });
    // The program opens a journal at each address. This must not load a library, because a run that starts nothing also
    // opens its journal.
    process.argv.slice(1).forEach((place) => openJournal(place + "/journal"));
    Promise.all(told).then((all) => console.log(JSON.stringify(all)));`;
  const options = { cwd: join(modules, ".."), encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["-e", script, ...places.map(({ example }) => example)],
    options,
  );
  expect(stderr).toBe("");
  const [folder, ...objects] = JSON.parse(stdout);
  expect(folder).toEqual({ failures: [] });
  expect(objects).toHaveLength(places.length);
  for (const [index, { of, package: optional }] of places.entries()) {
    const { title, install } = optional;
    const { opened, journal, failures } = objects[index];
    const lacking = `names ${of}, which needs ${title} beside this package: run \`npm install ${install}\``;
    expect(failures).toEqual([{ property: "destination", reason: lacking }]);
    expect(journal).toBe(`the setting journal ${lacking}`);
    expect(opened).toContain(`DOCS_DESTINATION: the destination needs ${title}, which is not installed`);
    expect(opened).toContain(`What to do: run \`npm install ${install}\`, then`);
  }
});
