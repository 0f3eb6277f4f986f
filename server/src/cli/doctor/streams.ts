// The receivers of the audit log's streams: whether they answer, take the token, and how far they are behind.
import { streamPlaces } from "../../audit/streams/settings.ts";
import { readStates, type StreamState } from "../../audit/streams/store.ts";
import { probe } from "../../audit/streams/wire.ts";
import { type Check, type Finding, fault, type Ground, ok, reasonOf, warning } from "./check.ts";

export const streams: Check = {
  name: "streams",
  looksAt:
    "the receivers of audit.streams answer and, Splunk alone, take the token; none has stopped; no entry is sent",
  async run({ config, db, egress }) {
    const places = streamPlaces(config.audit);
    if (places.length === 0) return [ok("none is configured")];
    const names = places.map(({ name }) => name);
    const states = db === null ? [] : await readStates(db.kysely, names);
    const found = places.map(async (place) => {
      const state = states.find(({ name }) => name === place.name);
      return [await answers(place, egress), ...(state === undefined ? [] : [standing(state)])];
    });
    return (await Promise.all(found)).flat();
  },
};

async function answers(
  place: ReturnType<typeof streamPlaces>[number],
  egress: Ground["egress"],
): Promise<Finding> {
  const { request, isRefused } = probe(place);
  try {
    const answer = await egress.request({ ...request, timeoutMs: 5_000, maxBytes: 4_096, trusted: true });
    if (!isRefused(answer)) return ok(`the receiver ${place.name} answers`);
    return fault(
      `the receiver ${place.name} answers ${answer.status}`,
      "look at its token, and at its address in audit.streams",
    );
  } catch (error) {
    return warning(
      `the receiver ${place.name} does not answer (${reasonOf(error)})`,
      "look at its address in audit.streams, or ask whoever runs it",
    );
  }
}

function standing({ name, trouble, message, lag_entries }: StreamState): Finding {
  if (trouble === null) return ok(`${name} is ${lag_entries} entries behind`);
  const says = `the stream ${name} ${trouble === "failing" ? "gets nothing taken" : "has stopped"} (${message}), ${lag_entries} entries behind`;
  const mend = "docs/operations/incidents.md, audit_stream";
  return trouble === "failing" ? warning(says, mend) : fault(says, mend);
}
