import type * as pulumi from "@pulumi/pulumi";
import type { RawValues } from "../../definitions/values";
import { update } from "../../engine/apply";
import type { BaseOperation } from "../../engine/operation";
import { warnOfMissingKey } from "../../engine/processSettings";
import { read } from "../../engine/read";
import { setProcessCaFile } from "../../network/authorities";
import {
  decodeUnknownValues,
  encodeUnknownValues,
  withErrorCode,
  withoutUndefinedValues,
} from "../../pulumiEngine/engineValues";
import { exitWithEngine } from "../../pulumiEngine/exitWithEngine";
import { type PulumiSession, processSession } from "../../pulumiEngine/pulumiSession";
import { ReplacementTracker } from "../../pulumiEngine/replacementTracker";
import type { WriteOutcome } from "../../resources/lifecycle";
import type { Resource } from "../../resources/resource";
import { CheckedSettings } from "../../settings/settings";
import type { SettingLookup } from "../../settings/sources";
import { asDocsPlatformError } from "../../support/errors";
import { watchCancellation } from "./watchCancellation";

/** The complete interface of the SDK's dynamic provider. The SDK loads the object from a text in the state. */
export type DynamicProvider = Required<pulumi.dynamic.ResourceProvider>;

export function dynamicProvider(definition: Resource, session = processSession): DynamicProvider {
  let config: SettingLookup = () => undefined;
  let known: CheckedSettings | undefined;
  const settings = () => {
    known ??= new CheckedSettings({ environment: process.env, config });
    return known;
  };
  const tracker = new ReplacementTracker(session);
  const operation = (address?: string): BaseOperation => ({ address, settings: settings() });

  return withAllTextsShown(session, {
    // The SDK does not wait for the end of this method, so all work here is synchronous.
    async configure(request) {
      config = (name) => request.config.get(`docs-platform:${name}`);
      known = undefined;
      setProcessCaFile(settings().values.caFile);
      watchCancellation(session);
      exitWithEngine(session);
    },

    async check(olds, news) {
      const { fields, properties } = splitHostFields(news);
      const checked = tracker.check(definition, operation(fields.__urn), { values: properties }, olds ?? {});
      const inputs = withoutUndefinedValues({ ...encodeUnknownValues(checked.inputs), ...fields });
      return { inputs, failures: checked.failures.map(withErrorCode) };
    },

    async diff(id, olds, news) {
      const { fields, properties: inputs } = splitHostFields(news);
      const { properties: state } = splitHostFields(olds);
      const planned = tracker.plan(definition, { ...operation(fields.__urn), id, state, inputs });
      return { changes: planned.action !== "none", replaces: [...planned.replaces] };
    },

    async create(news) {
      const { fields, properties: inputs } = splitHostFields(news);
      const created = tracker.create(definition, { ...operation(fields.__urn), inputs });
      const { id, state } = await resultOf(created, fields);
      return { id, outs: withoutUndefinedValues(state) };
    },

    async read(id, props) {
      const { fields, properties: state } = splitHostFields(props ?? {});
      // A preview without a key gets no outputs, so that the program sees them as unknown.
      if (fields.__preview && warnOfMissingKey(settings(), session)) {
        return { id, props: {} };
      }
      const found = await read(definition, { ...operation(), id, state }, session).catch(refuseWithoutStack);
      return found ? { id, props: withoutUndefinedValues(found) } : {};
    },

    async update(id, olds, news) {
      const { fields, properties: inputs } = splitHostFields(news);
      const { properties: state } = splitHostFields(olds);
      const updated = update(definition, { ...operation(fields.__urn), id, state, inputs }, session);
      return { outs: withoutUndefinedValues((await resultOf(updated, fields)).state) };
    },

    // The API cannot delete a job. A delete can remove only files outside the platform, such as the files of a mirror.
    async delete(id, props) {
      const { properties: state } = splitHostFields(props);
      await tracker.remove(definition, { ...operation(), id, state }).catch(refuseWithoutStack);
    },
  });
}

function withAllTextsShown(session: PulumiSession, provider: DynamicProvider): DynamicProvider {
  const methods = Object.entries(provider).map(([name, method]: [string, (...args: never[]) => Promise<unknown>]) => [
    name,
    (...args: never[]) => method(...args).finally(() => session.allShown()),
  ]);
  return Object.fromEntries(methods);
}

/**
 * If a create or an update fails, the engine saves the properties of the error. The next run loads this code from
 * `__provider`, which the SDK does not add to these properties.
 */
async function resultOf(applying: Promise<WriteOutcome>, { __provider }: HostFields): Promise<WriteOutcome> {
  const { id, state, problem } = await applying.catch((error) => {
    throw new Error(asDocsPlatformError(error).message);
  });
  if (problem === undefined) {
    return { id, state };
  }
  const { message } = problem;
  throw Object.assign(new Error(message), {
    id,
    properties: withoutUndefinedValues({ ...state, __provider }),
    reasons: [message],
  });
}

/**
 * The SDK prints the error's text, and then its stack. So the text is only the first line of the message, and the stack
 * contains the other lines.
 */
function refuseWithoutStack(error: unknown): never {
  const { message } = asDocsPlatformError(error);
  const [first = "", ...rest] = message.split("\n");
  throw Object.assign(new Error(message), { toString: () => first, stack: `\n${rest.join("\n")}` });
}

interface HostFields {
  __provider?: string;
  __urn?: string;
  /** True for a look-up in a preview. The program sets this field, because the engine does not pass this fact. */
  __preview?: true;
}

export function splitHostFields(sent: RawValues): { fields: HostFields; properties: RawValues } {
  const { __provider, __urn, __preview, ...properties } = decodeUnknownValues(sent);
  const fields = {
    ...(typeof __provider === "string" && { __provider }),
    ...(typeof __urn === "string" && { __urn }),
    ...(__preview === true && { __preview: true as const }),
  };
  return { fields, properties };
}
