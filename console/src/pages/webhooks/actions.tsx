// What can be done with an endpoint as a whole.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FlaskConical, KeyRound, Pencil, Power, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useMe } from "../../api/roles.ts";
import { utc } from "../../format/time.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmByName, Dialog } from "../../ui/form/dialog.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { type Endpoint, type EndpointSettings, type EndpointTest, isOfWebhooks } from "./queries.ts";
import { SecretDialog } from "./secret-dialog.tsx";

interface EndpointActionsProps {
  endpoint: Endpoint;
  onTested(outcome: EndpointTest | null): void;
}

export function EndpointActions({ endpoint, onTested }: EndpointActionsProps) {
  const me = useMe();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ predicate: isOfWebhooks });
  const path = { id: endpoint.id };
  const test = useMutation({
    mutationFn: () => {
      onTested(null);
      return call("POST /api/v1/webhooks/{id}/test", { path });
    },
    onSuccess: (delivery) => onTested({ delivery }),
    onError: (error) => onTested({ error }),
    onSettled: refresh,
  });
  const turn = useMutation({
    mutationFn: () =>
      call("PATCH /api/v1/webhooks/{id}", { path, body: { is_enabled: !endpoint.is_enabled } }),
    onSuccess: ({ is_enabled: isOn }) =>
      toast({
        tone: "good",
        title: isOn ? "Enabled" : "Disabled",
        detail: isOn ? "It receives events from now on." : "What was pending is canceled.",
      }),
    onError: (error) => toastError("The endpoint was not changed", error),
    onSettled: refresh,
  });
  if (me?.scope === "read") return null;
  return (
    <>
      <Button
        icon={FlaskConical}
        isBusy={test.isPending}
        disabled={!endpoint.is_enabled}
        onClick={() => test.mutate()}
      >
        Test
      </Button>
      <Button icon={Power} isBusy={turn.isPending} onClick={() => turn.mutate()}>
        {endpoint.is_enabled ? "Disable" : "Enable"}
      </Button>
      <Edit endpoint={endpoint} />
      <Rotate endpoint={endpoint} />
      <Remove endpoint={endpoint} />
    </>
  );
}

function Edit({ endpoint }: { endpoint: Endpoint }) {
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: EndpointSettings) =>
      call("PATCH /api/v1/webhooks/{id}", { path: { id: endpoint.id }, body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ predicate: isOfWebhooks });
      toast({ tone: "good", title: "The endpoint is changed" });
      setIsOpen(false);
    },
  });
  return (
    <>
      <Button icon={Pencil} onClick={() => setIsOpen(true)}>
        Change
      </Button>
      <Dialog
        title="Change the endpoint"
        description="A new URL is used from the next attempt on, retries included."
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      >
        <EndpointForm
          endpoint={endpoint}
          action="Save"
          isBusy={isPending}
          error={error}
          onSubmit={mutate}
          onClose={() => setIsOpen(false)}
        />
      </Dialog>
    </>
  );
}

function Rotate({ endpoint }: { endpoint: Endpoint }) {
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const { mutate, isPending, data, reset } = useMutation({
    mutationFn: () => call("POST /api/v1/webhooks/{id}/rotate-secret", { path: { id: endpoint.id } }),
    onSuccess: () => setIsOpen(false),
    onError: (error) => toastError("The secret was not rotated", error),
    onSettled: () => queries.invalidateQueries({ predicate: isOfWebhooks }),
  });
  return (
    <>
      <Button icon={KeyRound} onClick={() => setIsOpen(true)}>
        Rotate secret
      </Button>
      <ConfirmByName
        title="Rotate the secret"
        name={endpoint.url}
        action="Rotate"
        isOpen={isOpen}
        isBusy={isPending}
        onClose={() => setIsOpen(false)}
        onConfirm={() => mutate()}
      >
        For 24 hours deliveries are signed with the old secret as well. After that a receiver that knows only
        the old one refuses them.
      </ConfirmByName>
      <SecretDialog
        secret={data?.secret ?? null}
        note={
          data?.old_secret_valid_until
            ? `The old secret keeps signing until ${utc(data.old_secret_valid_until)}.`
            : undefined
        }
        onClose={reset}
      />
    </>
  );
}

function Remove({ endpoint }: { endpoint: Endpoint }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => call("DELETE /api/v1/webhooks/{id}", { path: { id: endpoint.id } }),
    onSuccess: async () => {
      toast({ tone: "good", title: "The endpoint is deleted" });
      await navigate({ to: "/webhooks" });
      await queries.invalidateQueries({ predicate: isOfWebhooks });
    },
    onError: (error) => toastError("The endpoint was not deleted", error),
  });
  return (
    <>
      <Button icon={Trash2} onClick={() => setIsOpen(true)}>
        Delete
      </Button>
      <ConfirmByName
        title="Delete the endpoint"
        name={endpoint.url}
        action="Delete"
        isOpen={isOpen}
        isBusy={isPending}
        onClose={() => setIsOpen(false)}
        onConfirm={() => mutate()}
      >
        This also deletes its secret and its deliveries and cannot be undone. Pending deliveries are canceled.
      </ConfirmByName>
    </>
  );
}
