// The fields that providers' configurations are made of. Descriptions are what the console's form shows.
//
// A member says with a keyword of its schema what its change means for the channel's secrets. Without one it decides where they are sent or
// what they work on, so that to change it takes the secrets themselves: a mask that is sent back proves no knowledge of them.
import { Type } from "typebox";

/** An absolute https URL; plain http is refused later, where the configuration does not allow it. */
const URL_PATTERN = "^https?://[^\\s/?#][^\\s]*$";

/** A URL that holds a key. */
export function secretUrl(title: string, description: string) {
  return Type.String({ title, description, pattern: URL_PATTERN, maxLength: 2048, writeOnly: true });
}

/** Of a secret that is never sent: what is sent is signed with it. */
export const SIGNS_ONLY = "x-signs-only";
/** Of a secret that is never sent: it proves who sent what comes in, so that its change is one of what the channel trusts. */
export const PROVES_SENDER = "x-proves-sender";
/** Of a member that leads secrets nowhere else. */
export const KEEPS_DESTINATION = "x-keeps-destination";

export function secretText(
  title: string,
  description: string,
  options: { pattern: string; maxLength?: number; [SIGNS_ONLY]?: true; [PROVES_SENDER]?: true },
) {
  return Type.String({ title, description, writeOnly: true, maxLength: 512, ...options });
}

/** Where the provider's fixed host is reached instead. */
export function baseUrl(fixed: string) {
  return Type.Optional(
    Type.String({
      title: "Base URL",
      description: `Instead of ${fixed}: a proxy or another region's host.`,
      pattern: "^https?://[^\\s/?#@]+(?:/[^\\s?#]*)?$",
      maxLength: 2048,
    }),
  );
}

export function region() {
  return Type.Optional(
    Type.Unsafe<"us" | "eu">({
      type: "string",
      enum: ["us", "eu"],
      default: "us",
      title: "Region",
      description: "The service region of the account.",
    }),
  );
}
