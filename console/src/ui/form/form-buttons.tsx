// What stands under a form: the way out, and the button that sends it.
import type { ReactNode } from "react";
import { Button } from "../button.tsx";

interface Props {
  onCancel(): void;
  isBusy: boolean;
  /** Whether something is missing without which it cannot be sent. */
  isIncomplete?: boolean;
  /** What the button does. */
  children: ReactNode;
}

export function FormButtons({ onCancel, isBusy, isIncomplete = false, children }: Props) {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" look="primary" isBusy={isBusy} disabled={isIncomplete}>
        {children}
      </Button>
    </div>
  );
}
