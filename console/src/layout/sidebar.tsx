import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Binary, BookOpen, LogIn, LogOut, Moon, Sun } from "lucide-react";
import { POLL_MS, polled } from "../api/client.ts";
import { useMe } from "../api/roles.ts";
import { endSession, useSession, useWaitsFor } from "../api/session.ts";
import { chainsQuery } from "../api/vaults.ts";
import { toggleExact, useExact } from "../browser/exact-amounts.ts";
import { NAVIGATION } from "../browser/paths.ts";
import { setTheme, useTheme } from "../browser/theme.ts";
import { count } from "../format/amount.ts";
import { span } from "../format/time.ts";
import { shortHex } from "../format/words.ts";
import { Badge, Dot } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/class-names.ts";
import { CopyButton } from "../ui/copy.tsx";

export function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2 rounded font-semibold tracking-tight">
      <img src="/icon.svg" alt="" width={22} height={22} />
      VaultOps
    </Link>
  );
}

const ITEM =
  "flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium text-ink-2 hover:bg-hover hover:text-ink";

export function Sidebar() {
  const session = useSession();
  const items = NAVIGATION.filter(({ isPublic }) => isPublic || session !== null);
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-12 items-center px-4 lg:h-14">
        <Brand />
      </div>
      <nav aria-label="Pages" className="flex-1 overflow-y-auto px-2">
        <ul className="flex flex-col gap-0.5">
          {items.map(({ to, label, icon: Icon, key }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === "/", includeSearch: false }}
                className={cx(ITEM, "group")}
                activeProps={{ className: "bg-raised !text-ink" }}
              >
                <Icon aria-hidden className="size-4 shrink-0" />
                {label}
                {to === "/alerts" && <FiringCount />}
                <kbd aria-hidden className="ml-auto hidden font-mono text-2xs text-ink-3 group-hover:inline">
                  g {key}
                </kbd>
              </Link>
            </li>
          ))}
          <li>
            <a href="/docs" className={ITEM}>
              <BookOpen aria-hidden className="size-4 shrink-0" />
              API reference
            </a>
          </li>
        </ul>
      </nav>
      <Chains />
      <Person />
    </div>
  );
}

const firingQuery = polled(
  "GET /api/v1/alerts",
  { query: { status: ["firing"], limit: 1000 } },
  POLL_MS.state,
);

/** How many alerts fire, with a link to them. */
function FiringCount() {
  const { data } = useQuery(firingQuery);
  const firing = data?.alerts ?? [];
  if (firing.length === 0) return null;
  const worst = (["critical", "warning"] as const).find((each) =>
    firing.some(({ severity }) => severity === each),
  );
  return (
    <Badge tone={worst ?? "neutral"}>
      {count(firing.length)}
      <span className="sr-only">firing</span>
    </Badge>
  );
}

/** How far each chain has been followed: what everything else rests on. */
function Chains() {
  const { data: chains } = useQuery(chainsQuery);
  if (!chains) return null;
  return (
    <ul aria-label="Chains" className="flex flex-col gap-1 border-t px-4 py-2.5">
      {chains.map(
        ({
          chain_id: id,
          name,
          head_block: head,
          confirmed_block: confirmed,
          lag_seconds: lag,
          is_behind: isBehind,
          is_halted: isHalted,
        }) => (
          <li
            key={id}
            data-tip={`Chain ${id}\nhead ${head ?? "not known"}, confirmed ${confirmed ?? "not known"}`}
            className="flex items-center gap-2 text-xs text-ink-2"
          >
            <Dot tone={isHalted ? "critical" : isBehind ? "warning" : "good"} />
            <span className="truncate">{name}</span>
            <span className="num ml-auto text-ink-3">
              {isHalted
                ? "halted"
                : isBehind
                  ? lag === null
                    ? "starting"
                    : `${span(lag)} behind`
                  : count(head ?? 0)}
            </span>
          </li>
        ),
      )}
    </ul>
  );
}

/** Who is signed in, and the switches. */
function Person() {
  const session = useSession();
  const isWaiting = useWaitsFor() !== null;
  const me = useMe();
  const theme = useTheme();
  const isExact = useExact();
  const part =
    session === null || me === undefined
      ? ""
      : me.is_registry_maintainer
        ? "Maintainer"
        : me.is_manager
          ? "Manager"
          : me.vaults.length > 0
            ? "Viewer"
            : "No role";
  return (
    <div className="border-t px-3 py-2.5">
      {session === null && !isWaiting && (
        <Link to="/sign-in" className={ITEM}>
          <LogIn aria-hidden className="size-4" />
          Sign in
        </Link>
      )}
      {session !== null && (
        <p className="flex items-center gap-0.5 pl-1">
          <span data-tip={session.address} className="font-mono text-xs">
            {shortHex(session.address)}
          </span>
          <CopyButton text={session.address} label="your address" />
        </p>
      )}
      <div className="flex items-center gap-1">
        <p className="h-4 flex-1 pl-1 text-2xs text-ink-3">{part}</p>
        <Button
          look="quiet"
          size="small"
          icon={Binary}
          aria-label="Exact amounts"
          aria-pressed={isExact}
          data-tip={isExact ? "Short amounts (x)" : "Exact amounts (x)"}
          onClick={toggleExact}
        />
        <Button
          look="quiet"
          size="small"
          icon={theme === "dark" ? Sun : Moon}
          aria-label={theme === "dark" ? "Light theme" : "Dark theme"}
          data-tip={theme === "dark" ? "Light theme" : "Dark theme"}
          onClick={() => setTheme(theme === "dark" ? "light" : "dark")}
        />
        {session !== null && (
          <Button
            look="quiet"
            size="small"
            icon={LogOut}
            aria-label="Sign out"
            data-tip="Sign out"
            onClick={() => endSession(null)}
          />
        )}
      </div>
    </div>
  );
}
