import type { BundleMirrorInputs, BundleMirrorState } from "../../../provider/definitions/bundleMirror";
import { archiveWith } from "../../unit/provider/mirror/archive/archives";
import { throwingLifecycles } from "../throwingLifecycles";
import { type MirrorWorld, mirrorWorld } from "./mirrorWorld";
import { type RegistryHabit, type ScriptedRegistry, scriptedRegistry } from "./scriptedRegistry";
import { isAccepted, type KeyForTest, keyForTest, RepositoryReader } from "./signatures";
import { first, second } from "./siteWorld";
import { storageReply } from "./storage";

const { bundleMirror } = throwingLifecycles;

export const registries: [string, RegistryHabit][] = [
  ["without the referrers API", {}],
  ["with the referrers API", { referrers: "listed" }],
  ["with that API, which it does not say", { referrers: "silent" }],
];
export interface SignedWorld extends MirrorWorld {
  key: KeyForTest;
  registry: ScriptedRegistry;
  repository: RepositoryReader;
  update(state: BundleMirrorState, inputs?: Partial<BundleMirrorInputs>): Promise<BundleMirrorState>;
  refresh(state: BundleMirrorState): Promise<BundleMirrorState>;
  /** The surroundings of a later run with another key, or without a key. */
  withKey(key: KeyForTest | undefined): SignedWorld;
}

/** A mirror that signs a site in a registry. The second download gets a different site. */
export async function signedWorld(habit: RegistryHabit = {}): Promise<SignedWorld> {
  const registry = await scriptedRegistry(habit);
  const sites = [await archiveWith("tar.gz", first), await archiveWith("tar.gz", second)] as const;
  const key = keyForTest();
  const world = await mirrorWorld([storageReply(sites[0]), storageReply(sites[1])], { signingKey: key.source });
  const destination = `oci://${registry.host}/team/docs?plainHttp=true`;
  const inputs: BundleMirrorInputs = { ...world.inputs, layout: "site", destination };
  const repository = new RepositoryReader(`${registry.host}/team/docs`);
  const around = (context: MirrorWorld["context"], own: KeyForTest): SignedWorld => ({
    ...world,
    ...{ context, inputs, key: own, registry, repository },
    update: (state, more = {}) => bundleMirror.update("id", state, { ...inputs, ...more }, context),
    refresh: async (state) => (await bundleMirror.read("id", state, context)) as BundleMirrorState,
    withKey: (other) => {
      return around({ ...context, signingKey: () => other?.source }, other ?? own);
    },
  });
  return around(world.context, key);
}

export const digestIn = ({ digest }: BundleMirrorState) => String(digest);

/** True if an image has a valid signature of this world's key. */
export const accepts = ({ repository, key }: SignedWorld, digest: string) =>
  isAccepted(repository, digest, key.publicKey);
