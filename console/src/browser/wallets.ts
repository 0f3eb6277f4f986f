// Wallets in this browser: every one that announces itself (EIP-6963), and where none does, the one that sits in `window.ethereum`.
import { useSyncExternalStore } from "react";
import type { Provider } from "./ask-wallet.ts";

export interface Wallet {
  id: string;
  name: string;
  /** A `data:` URI of an image; null where the wallet gives none that may be shown. */
  icon: string | null;
  provider: Provider;
}

interface Announcement extends Event {
  detail?: {
    info?: { uuid?: unknown; name?: unknown; icon?: unknown };
    provider?: Provider;
  };
}

let wallets: readonly Wallet[] = [];
const listeners = new Set<() => void>();

window.addEventListener("eip6963:announceProvider", (event) => {
  const { info, provider } = (event as Announcement).detail ?? {};
  if (
    typeof info?.uuid !== "string" ||
    typeof info.name !== "string" ||
    typeof provider?.request !== "function"
  )
    return;
  const icon = typeof info.icon === "string" && /^data:image\//.test(info.icon) ? info.icon : null;
  const wallet = { id: info.uuid, name: info.name.slice(0, 60), icon, provider };
  const isKnown = wallets.some(({ id }) => id === wallet.id);
  wallets = isKnown
    ? wallets.map((known) => (known.id === wallet.id ? wallet : known))
    : [...wallets, wallet];
  for (const listener of listeners) listener();
});

/** The wallets found so far; more may come while the page is open. */
export function useWallets(): readonly Wallet[] {
  const announced = useSyncExternalStore(subscribe, () => wallets);
  return announced.length > 0 ? announced : older();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  return () => listeners.delete(listener);
}

function older(): readonly Wallet[] {
  const { ethereum } = window as { ethereum?: Provider };
  if (typeof ethereum?.request !== "function") return NONE;
  return [{ id: "window.ethereum", name: "Browser wallet", icon: null, provider: ethereum }];
}

const NONE: readonly Wallet[] = [];
