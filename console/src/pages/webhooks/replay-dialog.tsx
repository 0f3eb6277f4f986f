import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, serverNow } from "../../api/client.ts";
import { counted } from "../../format/amount.ts";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field, Input, Segmented } from "../../ui/form/field.tsx";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import { FormError, faultAt } from "../../ui/form/form-error.tsx";
import { toast } from "../../ui/toast.tsx";
import { type Endpoint, isOfWebhooks } from "./queries.ts";

interface ReplayDialogProps {
  endpoint: Endpoint;
  isOpen: boolean;
  onClose(): void;
}

/** Sends once more what was made in a period and has a status. */
export function ReplayDialog({ endpoint, isOpen, onClose }: ReplayDialogProps) {
  return (
    <Dialog
      title="Replay a range"
      description="The same bytes with the same ids, oldest first: a receiver that remembers ids processes none twice."
      isOpen={isOpen}
      onClose={onClose}
    >
      <ReplayForm endpoint={endpoint} onClose={onClose} />
    </Dialog>
  );
}

type Status = "dead" | "canceled" | "delivered";
const HOUR_MS = 3_600_000;

function ReplayForm({ endpoint, onClose }: Omit<ReplayDialogProps, "isOpen">) {
  const queries = useQueryClient();
  const [from, setFrom] = useState(() => minuteOf(serverNow() - 24 * HOUR_MS));
  const [to, setTo] = useState(() => minuteOf(serverNow() + 60_000));
  const [status, setStatus] = useState<Status>("dead");
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => replayAll(endpoint.id, { from: `${from}:00Z`, to: `${to}:00Z`, status }),
    onSuccess: async (replayed) => {
      await queries.invalidateQueries({ predicate: isOfWebhooks });
      toast(
        replayed === 0
          ? { tone: "accent", title: "Nothing in that period has this status" }
          : {
              tone: "good",
              title: `${counted(replayed, "delivery is", "deliveries are")} sent once more`,
            },
      );
      onClose();
    },
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="From, in UTC" error={faultAt(error, "/from")}>
          {(field) => (
            <Input
              {...field}
              type="datetime-local"
              required
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            />
          )}
        </Field>
        <Field label="To, in UTC" error={faultAt(error, "/to")}>
          {(field) => (
            <Input
              {...field}
              type="datetime-local"
              required
              value={to}
              onChange={(event) => setTo(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Segmented<Status>
        label="Of which deliveries"
        value={status}
        options={[
          ["dead", "Dead"],
          ["canceled", "Canceled"],
          ["delivered", "Delivered"],
        ]}
        onChange={setStatus}
      />
      <FormError error={error} />
      <FormButtons onCancel={onClose} isBusy={isPending}>
        Replay
      </FormButtons>
    </form>
  );
}

/** The service takes many, not any number, at once. Resolves with how many were asked for. */
async function replayAll(id: string, period: { from: string; to: string; status: Status }): Promise<number> {
  let replayed = 0;
  for (let from: string | null = period.from; from !== null; ) {
    const answer: { replayed: number; next_from: string | null } = await call(
      "POST /api/v1/webhooks/{id}/replay",
      { path: { id }, body: { ...period, from } },
    );
    replayed += answer.replayed;
    from = answer.next_from;
  }
  return replayed;
}

function minuteOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}
