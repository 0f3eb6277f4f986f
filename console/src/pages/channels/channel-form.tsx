// A channel's form, drawn from its provider's schema: to make one, and to change one.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field, Input, Segmented, Select } from "../../ui/form/field.tsx";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import { FormError, faultAt } from "../../ui/form/form-error.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { toast } from "../../ui/toast.tsx";
import { type Channel, isOfChannels, providersQuery } from "./queries.ts";
import { type ConfigField, changedConfig, fieldsOf, newConfig, type ProviderInfo } from "./schema.ts";

interface NewChannelProps {
  isOpen: boolean;
  onClose(): void;
  onMade(channel: Channel): void;
}

export function NewChannelDialog({ isOpen, onClose, onMade }: NewChannelProps) {
  const query = useQuery(providersQuery);
  return (
    <Dialog
      title="New channel"
      description="It gets alerts once it is bound to a vault."
      isOpen={isOpen}
      onClose={onClose}
    >
      <Loaded query={query} rows={4}>
        {(providers) => <NewChannelForm providers={providers} onClose={onClose} onMade={onMade} />}
      </Loaded>
    </Dialog>
  );
}

function NewChannelForm({
  providers,
  onClose,
  onMade,
}: Omit<NewChannelProps, "isOpen"> & { providers: readonly ProviderInfo[] }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [provider, setProvider] = useState(providers[0] as ProviderInfo);
  const [draft, setDraft] = useState<Record<string, string>>({});
  const [isInteractive, setIsInteractive] = useState(false);
  const fields = fieldsOf(provider);
  const mayAnswer = isChat(provider.provider);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call("POST /api/v1/notification-channels", {
        body: {
          provider: provider.provider,
          name: name.trim(),
          config: newConfig(fields, draft),
          ...(mayAnswer && { interactive: isInteractive }),
        },
      }),
    onSuccess: async (channel) => {
      await queries.invalidateQueries({ predicate: isOfChannels });
      onMade(channel);
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Provider">
          {(field) => (
            <Select
              {...field}
              value={provider.provider}
              onChange={(event) => {
                const next = providers.find((one) => one.provider === event.target.value);
                if (next) setProvider(next);
                setDraft({});
              }}
            >
              {providers.map((one) => (
                <option key={one.provider} value={one.provider}>
                  {one.title}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <NameField name={name} onName={setName} error={error} />
      </div>
      <ConfigFields fields={fields} draft={draft} onDraft={setDraft} error={error} />
      {mayAnswer && <InteractiveField isOn={isInteractive} onTurn={setIsInteractive} />}
      <FormError error={error} />
      <FormButtons onCancel={onClose} isBusy={isPending}>
        Make channel
      </FormButtons>
    </form>
  );
}

interface EditChannelProps {
  channel: Channel;
  isOpen: boolean;
  onClose(): void;
}

export function EditChannelDialog({ channel, isOpen, onClose }: EditChannelProps) {
  const query = useQuery(providersQuery);
  return (
    <Dialog
      title="Change the channel"
      description="A secret that is left empty stays as it is. To change where it is sent, type it again."
      isOpen={isOpen}
      onClose={onClose}
    >
      <Loaded query={query} rows={4}>
        {(providers) => {
          const provider = providers.find((one) => one.provider === channel.provider);
          return provider ? (
            <EditForm channel={channel} fields={fieldsOf(provider)} onClose={onClose} />
          ) : null;
        }}
      </Loaded>
    </Dialog>
  );
}

function EditForm({
  channel,
  fields,
  onClose,
}: {
  channel: Channel;
  fields: readonly ConfigField[];
  onClose(): void;
}) {
  const queries = useQueryClient();
  const [name, setName] = useState(channel.name);
  const [isInteractive, setIsInteractive] = useState(channel.interactive);
  const [draft, setDraft] = useState<Record<string, string>>(() =>
    Object.fromEntries(
      fields
        .filter(({ isSecret }) => !isSecret)
        .map((field) => [field.name, channel.config[field.name] ?? ""]),
    ),
  );
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call("PATCH /api/v1/notification-channels/{id}", {
        path: { id: channel.id },
        body: {
          name: name.trim(),
          config: changedConfig(fields, channel.config, draft),
          ...(isInteractive !== channel.interactive && { interactive: isInteractive }),
        },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ predicate: isOfChannels });
      toast({ tone: "good", title: "The channel is changed", detail: name });
      onClose();
    },
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <NameField name={name} onName={setName} error={error} />
      <ConfigFields fields={fields} draft={draft} onDraft={setDraft} error={error} kept={channel.config} />
      {isChat(channel.provider) && <InteractiveField isOn={isInteractive} onTurn={setIsInteractive} />}
      <FormError error={error} />
      <FormButtons onCancel={onClose} isBusy={isPending}>
        Save
      </FormButtons>
    </form>
  );
}

function NameField({ name, onName, error }: { name: string; onName(name: string): void; error: unknown }) {
  return (
    <Field label="Name" error={faultAt(error, "/name")}>
      {(field) => (
        <Input
          {...field}
          required
          maxLength={100}
          placeholder="On call"
          value={name}
          onChange={(event) => onName(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Whether one can answer from there. */
function isChat(provider: string): boolean {
  return provider === "slack" || provider === "telegram";
}

function InteractiveField({ isOn, onTurn }: { isOn: boolean; onTurn(isOn: boolean): void }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <span className="text-xs font-medium text-ink-2">Buttons under alerts, for linked accounts</span>
      <Segmented<"off" | "on">
        label="Buttons under alerts"
        value={isOn ? "on" : "off"}
        options={[
          ["off", "Off"],
          ["on", "Acknowledge and silence"],
        ]}
        onChange={(value) => onTurn(value === "on")}
      />
    </div>
  );
}

interface ConfigFieldsProps {
  fields: readonly ConfigField[];
  draft: Record<string, string>;
  onDraft(draft: Record<string, string>): void;
  error: unknown;
  /** What a channel has already: its secrets need not be typed again. */
  kept?: Readonly<Record<string, string>>;
}

function ConfigFields({ fields, draft, onDraft, error, kept }: ConfigFieldsProps) {
  return fields.map(({ name, title, description, isSecret, isRequired, options, fallback, maxLength }) => (
    <Field
      key={name}
      label={isRequired ? title : `${title} (optional)`}
      hint={description}
      error={faultAt(error, `/config/${name}`)}
    >
      {(field) =>
        options ? (
          <Select
            {...field}
            value={draft[name] ?? ""}
            onChange={(event) => onDraft({ ...draft, [name]: event.target.value })}
          >
            <option value="">{fallback ? `Default (${fallback})` : "Default"}</option>
            {options.map((option) => (
              <option key={option} value={option}>
                {option}
              </option>
            ))}
          </Select>
        ) : (
          <Input
            {...field}
            type={isSecret ? "password" : "text"}
            // Kept from the browser's store of passwords: it is no password of this site.
            autoComplete={isSecret ? "new-password" : "off"}
            spellCheck={false}
            required={isRequired && !(isSecret && kept)}
            maxLength={maxLength}
            placeholder={isSecret && kept ? kept[name] : undefined}
            value={draft[name] ?? ""}
            onChange={(event) => onDraft({ ...draft, [name]: event.target.value })}
          />
        )
      }
    </Field>
  ));
}
