import type * as pulumi from "@pulumi/pulumi";
import { create, update } from "../../engine/apply";
import { check } from "../../engine/check";
import { warnOfMissingKey } from "../../engine/missingKey";
import type { Applied, Operation } from "../../engine/operation";
import { noChange, plan } from "../../engine/plan";
import { read } from "../../engine/read";
import { settingsReader } from "../../engine/settingsReader";
import { setProcessCaFile } from "../../network/authorities";
import { allShown } from "../../pulumiEngine/engineLog";
import { encodeUnknown, toJson, withCode } from "../../pulumiEngine/engineValues";
import { exitWithEngine } from "../../pulumiEngine/exitWithEngine";
import { ReplacementTracker } from "../../pulumiEngine/replacementTracker";
import { processSession } from "../../pulumiEngine/session";
import type { Resource } from "../../resources/resource";
import type { Lookup } from "../../settings/sources";
import { asDocsPlatformError } from "../../support/errors";
import { decodeHostFields, type HostFields } from "./hostFields";
import { watchCancellation } from "./watchCancellation";
import { watchTraceparent } from "./watchTraceparent";

/** The complete interface of the SDK's dynamic provider, which loads this object by the text in the state. */
export type DynamicProvider = Required<pulumi.dynamic.ResourceProvider>;

/** Serves a resource to the engine through the SDK's dynamic provider. */
export function dynamicProvider(definition: Resource, session = processSession): DynamicProvider {
  let config: Lookup = () => undefined;
  const settings = settingsReader({ environment: process.env, config: (name) => config(name) });
  const tracker = new ReplacementTracker();
  const operation = (address?: string): Operation => ({ address, settings, signal: session.signal });

  return tellingFirst({
    // The SDK does not wait for this method before it calls the next one: only synchronous work is surely done by then.
    async configure(request) {
      config = (name) => request.config.get(`docs-platform:${name}`);
      setProcessCaFile(settings.caFile());
      watchCancellation(session);
      watchTraceparent(session);
    },

    async check(olds, news) {
      const { fields, properties } = decodeHostFields(news);
      tracker.checked(fields.__urn, properties);
      if (Object.keys(olds ?? {}).length === 0) {
        warnOfMissingKey(settings, session);
      }
      const { inputs, failures } = check(definition, properties, settings);
      return { inputs: toJson({ ...encodeUnknown(inputs), ...fields }), failures: failures.map(withCode) };
    },

    async diff(id, olds, news) {
      const { fields, properties: inputs } = decodeHostFields(news);
      const { __urn: urn } = fields;
      const { properties: state } = decodeHostFields(olds);
      const planned = tracker.isAskedOfDependents(urn, inputs)
        ? noChange
        : plan(definition, { ...operation(urn), id, state, inputs }, session);
      tracker.planned(urn, id, state, planned);
      return { changes: planned.action !== "none", replaces: [...planned.replaces] };
    },

    async create(news) {
      exitWithEngine(session);
      const { fields, properties: inputs } = decodeHostFields(news);
      const earlier = tracker.replaced(fields.__urn);
      const { id, state } = await settle(
        create(definition, { ...operation(fields.__urn), inputs, ...earlier }, session),
        fields,
      );
      return { id, outs: toJson(state) };
    },

    async read(id, props) {
      const { fields, properties: state } = decodeHostFields(props ?? {});
      // In a preview, an output that is missing in the answer is unknown to the program.
      if (fields.__preview && warnOfMissingKey(settings, session)) {
        return { id, props: {} };
      }
      const found = await read(definition, { ...operation(), id, state }, session).catch(refuseWithoutStack);
      return found ? { id, props: toJson(found) } : {};
    },

    async update(id, olds, news) {
      exitWithEngine(session);
      const { fields, properties: inputs } = decodeHostFields(news);
      const { properties: state } = decodeHostFields(olds);
      const updated = update(definition, { ...operation(fields.__urn), id, state, inputs }, session);
      return { outs: toJson((await settle(updated, fields)).state) };
    },

    // The API has no delete. Only what a resource has stored elsewhere can be removed.
    async delete(id, props) {
      const { properties: state } = decodeHostFields(props);
      await tracker.remove(definition, { ...operation(), id, state }, session).catch(refuseWithoutStack);
    },
  });
}

/** Makes each method answer after the engine has received all messages of the method. */
function tellingFirst(provider: DynamicProvider): DynamicProvider {
  const methods = Object.entries(provider).map(([name, method]: [string, (...args: never[]) => Promise<unknown>]) => [
    name,
    (...args: never[]) => method(...args).finally(allShown),
  ]);
  return Object.fromEntries(methods);
}

/**
 * Returns the result of a create or an update. A failure with an id and properties is a partial failure: the engine
 * saves them, and calls update in the next run. The SDK leaves `__provider` out of these properties, so it is added
 * here: without it the engine could not load this code again.
 */
async function settle(applying: Promise<Applied>, { __provider }: HostFields): Promise<Applied> {
  const applied = await applying.catch((error) => {
    throw new Error(asDocsPlatformError(error).message);
  });
  if (applied.problem === undefined) {
    return applied;
  }
  const { message } = applied.problem;
  throw Object.assign(new Error(message), {
    id: applied.id,
    properties: toJson({ ...applied.state, __provider }),
    reasons: [message],
  });
}

/**
 * Throws the failure of a read or a delete. The SDK prints the error and its stack, so the stack holds only the rest of
 * the message.
 */
function refuseWithoutStack(error: unknown): never {
  const { message } = asDocsPlatformError(error);
  const [first = "", ...rest] = message.split("\n");
  throw Object.assign(new Error(message), { toString: () => first, stack: `\n${rest.join("\n")}` });
}
