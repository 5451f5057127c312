import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";

/**
 * Writes values to a file for `helm --values`. Only the file's owner may read it (mode 0600). An older file is replaced
 * in one step. The file contains JSON, which Helm reads as YAML. A preview writes nothing, and `pulumi destroy` does
 * not remove the file.
 *
 * @param path The file, relative to the program's working directory. Its folder must exist. A symbolic link is replaced.
 * @param values The values, such as those of `helmValues`, alone or merged with yours. Any part may be an output.
 * @returns the path, after the file is written.
 * @throws if the file cannot be written. An older file is then unchanged.
 */
export function writeValues(path: string, values: pulumi.Input<object>): pulumi.Output<string> {
  const written = pulumi.output(values).apply((known) => {
    if (!pulumi.runtime.isDryRun()) {
      writePrivately(path, `${JSON.stringify(known, undefined, 2)}\n`);
    }
    return path;
  });
  // The output `written` is secret if the values are secret. It contains only the path, which is not secret.
  return pulumi.unsecret(written);
}

/** Writes a text to a file of mode 0600. After a failure, the earlier file is unchanged. @internal */
export function writePrivately(path: string, text: string): void {
  // A write into the older file would keep the file's mode. Therefore this function writes a new file and renames it.
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
