// The providers, by hand: a new one is a file of its own and a line here.
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import { opsgenie } from "./opsgenie.ts";
import { pagerduty } from "./pagerduty.ts";
import type { Provider } from "./provider.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { telegram } from "./telegram.ts";
import { webhook } from "./webhook.ts";

const REGISTERED = {
  slack,
  discord,
  telegram,
  pagerduty,
  opsgenie,
  teams,
  email,
  webhook,
} satisfies Record<string, Provider>;

export type ProviderName = keyof typeof REGISTERED;

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = REGISTERED;

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];
