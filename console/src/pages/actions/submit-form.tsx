import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Field, Input, Select } from "../../ui/form/field.tsx";
import { FormError } from "../../ui/form/form-error.tsx";

type Kind = "transaction_hash" | "safe_tx_hash";

/** For what was signed elsewhere: its hash, so that it is followed from the moment on at which it is known. */
export function SubmitForm({
  tell,
}: {
  tell(body: { transaction_hash: string } | { safe_tx_hash: string }): Promise<void>;
}) {
  const [kind, setKind] = useState<Kind>("transaction_hash");
  const [hash, setHash] = useState("");
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const value = hash.trim().toLowerCase();
      return tell(kind === "safe_tx_hash" ? { safe_tx_hash: value } : { transaction_hash: value });
    },
    onSuccess: () => setHash(""),
  });
  return (
    <details>
      <summary className="cursor-pointer text-ink-2">It was sent elsewhere</summary>
      <form
        className="mt-2 flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Field label="What was sent">
          {(attributes) => (
            <Select {...attributes} value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
              <option value="transaction_hash">A transaction</option>
              <option value="safe_tx_hash">A proposal to a Safe</option>
            </Select>
          )}
        </Field>
        <Field label="Its hash" hint="It is found without it too, once it is on the chain.">
          {(attributes) => (
            <Input
              {...attributes}
              required
              pattern="\s*0x[0-9a-fA-F]{64}\s*"
              className="font-mono"
              value={hash}
              onChange={(event) => setHash(event.target.value)}
            />
          )}
        </Field>
        <FormError error={error} />
        <div>
          <Button type="submit" isBusy={isPending}>
            Follow it
          </Button>
        </div>
      </form>
    </details>
  );
}
