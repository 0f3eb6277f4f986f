// Who acts for one's own wallet from chats: asked for by a button in the channel, shown here, and confirmed here by the wallet.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link2, Trash2 } from "lucide-react";
import { call } from "../../api/client.ts";
import { useMe } from "../../api/roles.ts";
import { words } from "../../format/words.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { type Channel, type ChatLink, isOfLinks, linksQuery } from "./queries.ts";

/** Of one channel, with what begins a link; of all channels where none is given, and then nothing while there is no link. */
export function LinksPanel({ channel }: { channel?: Channel }) {
  const { data: all = [] } = useQuery(linksQuery);
  const mayWrite = useMe()?.scope === "full";
  const queries = useQueryClient();
  const links = channel === undefined ? all : all.filter((link) => link.channel_id === channel.id);
  const ask = useMutation({
    mutationFn: (id: string) => call("POST /api/v1/me/links", { body: { channel_id: id } }),
    onSuccess: ({ channel_name: name }) =>
      toast({ tone: "good", title: "Press the button in the channel", detail: name }),
    onError: (error) => toastError("Nothing was sent to the channel", error),
    onSettled: () => queries.invalidateQueries({ predicate: isOfLinks }),
  });
  if (channel === undefined && links.length === 0) return null;
  return (
    <Panel
      title="Linked accounts"
      aside={
        channel !== undefined &&
        mayWrite && (
          <Button
            size="small"
            icon={Link2}
            isBusy={ask.isPending}
            disabled={!channel.is_enabled}
            onClick={() => ask.mutate(channel.id)}
          >
            Link my account
          </Button>
        )
      }
    >
      {links.length === 0 ? (
        <Nothing>
          None of yours. Once linked, what you press under an alert in the channel is done by your wallet.
        </Nothing>
      ) : (
        <ul aria-label="Linked accounts" className="-my-1 flex flex-col divide-y">
          {links.map((link) => (
            <OneLink key={link.id} link={link} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function OneLink({ link, mayWrite }: { link: ChatLink; mayWrite: boolean }) {
  const queries = useQueryClient();
  const settled = () => queries.invalidateQueries({ predicate: isOfLinks });
  const path = { id: link.id };
  const confirm = useMutation({
    mutationFn: () => call("PUT /api/v1/me/links/{id}", { path, body: { confirmed: true } }),
    onSuccess: () => toast({ tone: "good", title: "Linked", detail: link.channel_name }),
    onError: (error) => toastError("It was not linked", error),
    onSettled: settled,
  });
  const remove = useMutation({
    mutationFn: () => call("DELETE /api/v1/me/links/{id}", { path }),
    onError: (error) => toastError("The link was not removed", error),
    onSettled: settled,
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2">
      <div className="min-w-0 break-words">
        <p className="font-medium">
          {link.channel_name} <Badge>{words(link.provider)}</Badge>
        </p>
        <p className="text-xs text-ink-2">
          {link.provider_user === null ? (
            <>
              Waits for you to press the button there
              {link.expires_at !== null && (
                <>
                  , until <Time at={link.expires_at} />
                </>
              )}
            </>
          ) : (
            <>
              {link.status === "confirmed" ? "User " : "Pressed by user "}
              <span className="break-all font-mono">{link.provider_user}</span>
              {link.provider_user_name ? `, who goes by “${link.provider_user_name}”` : ""}
            </>
          )}
        </p>
        {link.status === "pressed" && (
          <p className="text-xs text-ink-2">
            Confirm only if that id is yours: anybody in the channel can press, and choose any name.
          </p>
        )}
      </div>
      {mayWrite && (
        <span className="flex gap-1.5">
          {link.status === "pressed" && (
            <Button size="small" look="primary" isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
              That is me
            </Button>
          )}
          <Button
            size="small"
            icon={Trash2}
            isBusy={remove.isPending}
            aria-label={`Remove the link to ${link.channel_name}`}
            data-tip="Remove"
            onClick={() => remove.mutate()}
          />
        </span>
      )}
    </li>
  );
}
