import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";

/**
 * Writes values to a file that only its owner may read (mode 0600), for `helm --values`. The file appears whole or not at
 * all, and replaces an older one whatever its mode was. It is JSON, which Helm reads as YAML. A preview writes nothing, and
 * `pulumi destroy` leaves the file.
 *
 * @param path The file, relative to the program's working directory; its folder must exist. A symbolic link is replaced.
 * @param values The values, such as those of `helmValues`, alone or merged with yours; outputs may stand anywhere in them.
 * @returns the path once the file is written, for what reads it.
 * @throws where the file cannot be written: what was there is unchanged.
 */
export function writeValues(path: string, values: pulumi.Input<object>): pulumi.Output<string> {
  const written = pulumi.output(values).apply((known) => {
    if (!pulumi.runtime.isDryRun()) {
      writePrivately(path, `${JSON.stringify(known, undefined, 2)}\n`);
    }
    return path;
  });
  // The values may be secret; their place is not.
  return pulumi.unsecret(written);
}

/** Writes a text whole or not at all, with mode 0600. @internal */
export function writePrivately(path: string, text: string): void {
  // A file of its own is renamed: to write over an older one would keep that one's mode.
  const part = `${path}.${randomBytes(6).toString("hex")}.part`;
  try {
    writeFileSync(part, text, { mode: 0o600, flag: "wx", flush: true });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new pulumi.RunError(
      `writeValues: ${path} cannot be written (${code}); an earlier file is unchanged. The next run tries again: make its folder writable, or give another path.`,
    );
  }
}
