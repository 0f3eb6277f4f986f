// What the rules of a form would have told within the last 30 days, before they are saved.
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { counted } from "../../format/amount.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/form/form-error.tsx";
import { Time } from "../../ui/time.tsx";
import { type OwnRules, RULES } from "./rule-fields.ts";

const SHOWN = 5;

interface PreviewProps {
  id: { chain_id: number; address: string };
  rules(): OwnRules;
}

export function RulesPreview({ id, rules }: PreviewProps) {
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () =>
      call("POST /api/v1/vaults/{chain_id}/{vault_address}/alert-rules/preview", {
        path: { chain_id: id.chain_id, vault_address: id.address },
        body: { rules: rules() },
      }),
  });
  return (
    <section aria-label="Effect of the rules" className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-3">
        <p className="text-xs text-ink-3">What these rules would have told within the last 30 days.</p>
        <Button size="small" isBusy={isPending} onClick={() => mutate()}>
          Try
        </Button>
      </div>
      <FormError error={error} />
      {data !== undefined && (
        <div aria-live="polite" className="flex flex-col gap-2 text-sm">
          <ul>
            {data.categories.map(({ category, critical, warning, info }) => (
              <li key={category}>
                {nameOf(category)}: {critical} critical, {counted(warning, "warning")}, {info} for information
              </li>
            ))}
          </ul>
          {data.alerts.length > 0 && (
            <ul className="flex flex-col gap-1 text-xs text-ink-2">
              {data.alerts.slice(0, SHOWN).map(({ at, category, subject, title }) => (
                <li key={`${at} ${category} ${subject}`}>
                  <Time at={at} /> {title}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
}

function nameOf(category: string): string {
  return RULES.find((rule) => rule.category === category)?.name ?? category;
}
