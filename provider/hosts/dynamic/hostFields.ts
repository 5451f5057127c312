import type { RawValues } from "../../definitions/values";
import { decodeUnknown } from "../../pulumiEngine/engineValues";

/** What this host keeps beside a resource's own properties: the text that names our code in the state, and the URN. */
export interface HostFields {
  __provider?: string;
  __urn?: string;
  /** The program marks a look-up of a preview, which the engine saves nowhere: no request of the engine tells it. */
  __preview?: true;
}

/** Takes what the engine sent apart: the host's own fields, and the resource's properties with unknown values marked. */
export function decode(sent: RawValues): { fields: HostFields; properties: RawValues } {
  const { __provider, __urn, __preview, ...properties } = decodeUnknown(sent);
  const fields = {
    ...(typeof __provider === "string" && { __provider }),
    ...(typeof __urn === "string" && { __urn }),
    ...(__preview === true && { __preview: true as const }),
  };
  return { fields, properties };
}
