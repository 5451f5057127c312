import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { CraneRegistry } from "../../tools/servers/startCraneRegistry";
import { debianFolder } from "./debianFolder";

const run = promisify(execFile);

interface Layer {
  folder: string;
  /** The path of the layer's content in the image. Default: `/`. */
  at?: string;
  /** The id of the user that owns the layer's files. Default: 0. */
  owner?: number;
}

export interface ImageContent {
  /** From the lowest to the highest. */
  layers: readonly Layer[];
  environment?: Readonly<Record<string, string>>;
  command?: readonly string[];
}

const path = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Makes images without a Dockerfile, and pushes them. */
export class ImageMaker {
  constructor(
    private readonly pushedTo: CraneRegistry,
    readonly registry: string,
  ) {}

  /** @returns the reference by which clients pull the image. */
  async make(name: string, { layers, environment = {}, command = [] }: ImageContent): Promise<string> {
    const { crane, host } = this.pushedTo;
    const image = `${host}/${name}:1`;
    const folder = await mkdtemp(join(tmpdir(), "image-"));
    try {
      const files: string[] = [];
      for (const [index, layer] of layers.entries()) {
        const file = join(folder, `${index}.tar`);
        // The `S` leaves the targets of symbolic links unchanged.
        const place = layer.at === undefined ? [] : [`--transform=s,^\\.,.${layer.at},S`];
        const owner = [`--owner=${layer.owner ?? 0}`, `--group=${layer.owner ?? 0}`];
        await run("tar", ["-C", layer.folder, ...owner, ...place, "-cf", file, "."]);
        files.push("-f", file);
      }
      await run(crane, ["append", "--oci-empty-base", ...files, "-t", image]);
      const variables = Object.entries({ PATH: path, ...environment }).flatMap(([key, value]) => [
        "--env",
        `${key}=${value}`,
      ]);
      const entrypoint = command.length > 0 ? [`--entrypoint=${command.join()}`] : [];
      const platform = ["--set-platform", `linux/${process.arch === "x64" ? "amd64" : process.arch}`];
      const mutate = ["mutate", image, ...platform, ...variables, ...entrypoint, "-t", image];
      const [, digest] = (await run(crane, mutate)).stdout.trim().split("@");
      return `${this.registry}/${name}@${digest}`;
    } finally {
      await rm(folder, { recursive: true });
    }
  }
}

/** The chart runs these programs in both of its images. `sleep` also serves as the pause container of each pod. */
export function debianForSite(): Promise<string> {
  const shell = ["dash", "coreutils", "findutils", "grep", "gzip", "mawk", "sed", "tar", "unzip"];
  return debianFolder("site", [...shell, "ca-certificates", "curl", "nginx-light"]);
}

/** @param caFile the certificate of the authority that the image's curl trusts. */
export async function makeSiteImage(images: ImageMaker, caFile: string): Promise<string> {
  const place = "/etc/company";
  const layers = [{ folder: await debianForSite() }, { folder: dirname(caFile), at: place }];
  return images.make("site", { layers, environment: { CURL_CA_BUNDLE: join(place, basename(caFile)) } });
}
