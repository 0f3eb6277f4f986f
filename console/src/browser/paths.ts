// Addresses: the pages in the navigation, and links that leave the console.
import {
  Activity,
  BellRing,
  HandCoins,
  Layers,
  type LucideIcon,
  ScrollText,
  Send,
  Waypoints,
  Webhook,
} from "lucide-react";

export interface NavigationItem {
  to: "/" | "/alerts" | "/audit" | "/intents" | "/redemptions" | "/services" | "/channels" | "/webhooks";
  label: string;
  icon: LucideIcon;
  /** The key that goes there after `g`. */
  key: string;
  /** Whether the page is of use without a session. */
  isPublic?: boolean;
}

/** In the order of the sidebar. */
export const NAVIGATION: readonly NavigationItem[] = [
  { to: "/", label: "Vaults", icon: Layers, key: "v", isPublic: true },
  { to: "/alerts", label: "Alerts", icon: BellRing, key: "a" },
  { to: "/audit", label: "Audit log", icon: ScrollText, key: "l" },
  { to: "/intents", label: "Intents", icon: Waypoints, key: "i" },
  { to: "/redemptions", label: "Redemptions", icon: HandCoins, key: "r" },
  { to: "/services", label: "Services", icon: Activity, key: "s" },
  { to: "/channels", label: "Channels", icon: Send, key: "c" },
  { to: "/webhooks", label: "Webhooks", icon: Webhook, key: "w" },
];

/** The page of an address or transaction in a chain's explorer; null where the chain has none. */
export function explorerLink(
  explorerUrl: string | null | undefined,
  kind: "address" | "tx" | "block",
  value: string | number,
): string | null {
  if (!explorerUrl || !/^https?:\/\//.test(explorerUrl)) return null;
  return `${explorerUrl.replace(/\/$/, "")}/${kind}/${value}`;
}

/** Of the address that the API gives of an alert: its page in this console needs no other site, whatever the service is called outside. */
export const alertIdOf = (link: string): string => link.slice(link.lastIndexOf("/") + 1);

/** Where to go after signing in: a path of this console, never another site's. */
export function safeNext(next: unknown): string | undefined {
  return typeof next === "string" && /^\/(?![/\\])/.test(next) ? next : undefined;
}
