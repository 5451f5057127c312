import type { RawValues } from "../../definitions/values";
import { decodeUnknown } from "../../pulumiEngine/engineValues";

export interface HostFields {
  __provider?: string;
  __urn?: string;
  /**
   * True if the program looks a resource up in a preview. The program sets this field, because the engine does not pass
   * this fact.
   */
  __preview?: true;
}

export function decodeHostFields(sent: RawValues): { fields: HostFields; properties: RawValues } {
  const { __provider, __urn, __preview, ...properties } = decodeUnknown(sent);
  const fields = {
    ...(typeof __provider === "string" && { __provider }),
    ...(typeof __urn === "string" && { __urn }),
    ...(__preview === true && { __preview: true as const }),
  };
  return { fields, properties };
}
