// Which handler applies the reports of which type.
import type { EventType } from "./events.ts";
import type { ReportHandler } from "./handler.ts";

type Handlers = { [T in EventType]?: ReportHandler<T> };

/** One handler for each type that is taken; a type without one is refused as unknown. */
export const HANDLERS: Handlers = {};
