// Which witnesses are asked, as the configuration names them.
import { readWitness, type Witness } from "@vaultops/proof";

export interface WitnessPlace {
  /** What the operator calls it. */
  name: string;
  witness: Witness;
  /** Where checkpoints are submitted to it. */
  url: string;
  /** Where it hands out what it cosigned. */
  monitoringUrl: string;
}

/** `audit.witnesses` and `audit.witness_quorum` of the configuration. */
export interface WitnessSettings {
  places: readonly WitnessPlace[];
  /** How many of those that count must have cosigned. */
  quorum: number;
}

interface Configured {
  witnesses: readonly { name: string; vkey: string; url: string; monitoring_url: string | null }[];
  witness_quorum: number | null;
}

/** A majority, where no number is given. */
export function witnessSettings({ witnesses, witness_quorum: quorum }: Configured): WitnessSettings {
  const places = witnesses.map(({ name, vkey, url, monitoring_url }) => ({
    name,
    witness: readWitness(vkey),
    url,
    monitoringUrl: monitoring_url ?? url,
  }));
  return { places, quorum: quorum ?? Math.floor(countingKeys(places) / 2) + 1 };
}

/** Distinct keys whose cosignatures can be checked. */
function countingKeys(places: readonly Pick<WitnessPlace, "witness">[]): number {
  return new Set(places.flatMap(({ witness }) => (witness.isChecked ? [witness.key] : []))).size;
}
