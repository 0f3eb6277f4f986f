// What can be done about an alert: saying that somebody is on it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { UserCheck } from "lucide-react";
import { call } from "../../api/client.ts";
import { useMayManage } from "../../api/permissions.ts";
import { Button } from "../../ui/button.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { type Alert, isOfAlerts } from "./queries.ts";

/** For managers of the alert's vault, while it fires; nothing for others. */
export function AcknowledgeButton({ alert, size }: { alert: Alert; size?: "small" }) {
  const mayManage = useMayManage();
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => call("POST /api/v1/alerts/{id}/acknowledge", { path: { id: alert.id } }),
    onSuccess: () => toast({ tone: "good", title: "Acknowledged", detail: alert.title }),
    onError: (error) => toastError("It was not acknowledged", error),
    onSettled: () => queries.invalidateQueries({ predicate: isOfAlerts }),
  });
  if (alert.status !== "firing" || !mayManage(alert)) return null;
  return (
    <Button
      icon={UserCheck}
      {...(size && { size })}
      isBusy={isPending}
      aria-label={size ? `Acknowledge: ${alert.title}` : undefined}
      onClick={() => mutate()}
    >
      Acknowledge
    </Button>
  );
}
