import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { version } from "../plugins/release";
import { writeProviderRepository } from "../terraform/registryFiles";
import type { Rehearsal } from "./rehearsal";
import { mustSucceed } from "./steps";

/** A release of the repository `terraform-provider-docsplatform`, in the form that registries read. */
export interface ProviderRelease {
  /** The folder with the content of the repository. */
  content: string;
  /** The folder of the Git repository. Its tags are the versions. */
  repository: string;
  /** The folder with the files that were uploaded to the release. */
  uploaded: string;
  /** The armoured public key that the owner has registered. */
  publicKey: string;
}

/** Publishes the repository by the workflow's command, and collects the files that the workflow uploads. */
export async function publishProvider(rehearsal: Rehearsal, name: string): Promise<ProviderRelease> {
  const folder = (part: string) => rehearsal.folder(`${name}/${part}`);
  const [content, repository, uploaded] = [folder("content"), folder("repository.git"), folder("uploaded")];
  await writeProviderRepository(content);
  await mustSucceed(["git", "init", "--quiet", "--bare", repository], { cwd: content });
  const publish = [join(projectRoot, ".ci", "publish-provider"), content, repository, `v${version}`];
  await mustSucceed(publish, { cwd: content });
  const release = await rehearsal.release;
  const isUploaded = (file: string) => file === release || basename(file).startsWith("terraform-provider-");
  cpSync(release, uploaded, { recursive: true, filter: isUploaded });
  return { content, repository, uploaded, publicKey: rehearsal.key.publicKey };
}
