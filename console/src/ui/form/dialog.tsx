import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useId, useState } from "react";
import { Button } from "../button.tsx";
import { Input } from "./field.tsx";

interface DialogProps {
  title: string;
  description?: ReactNode;
  isOpen: boolean;
  onClose(): void;
  children: ReactNode;
}

/** A dialog over the page: focus goes in, stays in, and comes back; Escape closes it. */
export function Dialog({ title, description, isOpen, onClose, children }: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/55" />
        <Radix.Content className="fixed top-[10vh] left-1/2 z-40 max-h-[80vh] w-[min(34rem,calc(100vw-1.5rem))] -translate-x-1/2 overflow-y-auto rounded-xl border border-line-strong bg-panel p-5 shadow-[var(--shadow)]">
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <Button look="quiet" size="small" icon={X} aria-label="Close" className="-mt-1 -mr-1" />
            </Radix.Close>
          </div>
          {description ? (
            <Radix.Description asChild>
              <div className="mt-1 text-ink-2">{description}</div>
            </Radix.Description>
          ) : (
            <Radix.Description className="sr-only">{title}</Radix.Description>
          )}
          <div className="mt-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ConfirmProps {
  title: string;
  /** What will happen, and whether it can be undone. */
  children: ReactNode;
  /** What must be typed: the thing's own name. */
  name: string;
  action: string;
  isOpen: boolean;
  isBusy?: boolean;
  onClose(): void;
  onConfirm(): void;
}

/** Before anything destructive: the thing's name must be typed. */
export function ConfirmByName({
  title,
  children,
  name,
  action,
  isOpen,
  isBusy,
  onClose,
  onConfirm,
}: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const id = useId();
  return (
    <Dialog
      title={title}
      description={children}
      isOpen={isOpen}
      onClose={() => {
        setTyped("");
        onClose();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === name) onConfirm();
        }}
      >
        <label htmlFor={id} className="text-ink-2">
          Type <strong className="select-all break-all font-medium text-ink">{name}</strong> to confirm
        </label>
        <Input
          id={id}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          className="mt-1.5"
        />
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" isBusy={isBusy} disabled={typed.trim() !== name}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
