import { expect, it } from "vitest";
import type { OwnVault, Vault } from "../../api/vaults.ts";
import { listVaults } from "./listed-vaults.ts";

const vault = (id: string) => ({ vault_id: id, is_paused: true }) as Vault;
const ATTENTION: OwnVault["attention"] = [
  {
    kind: "upkeep",
    severity: "warning",
    since: "2026-05-09T10:00:00.000000Z",
    text: "Upkeep is running low",
    link: "https://vaults.example/alerts/018f",
  },
];

it("takes what is wrong with a vault from the service alone, and is silent where it does not say", () => {
  const own = [
    { vault_id: "1:0xa", role: "view_only", attention: ATTENTION, is_pps_stale: true },
    { vault_id: "1:0xb", role: "view_only", attention: [], emergency_exit: { is_armed: true } },
    { vault_id: "1:0xc", role: null, attention: null },
  ] as unknown as OwnVault[];
  const listed = listVaults(["1:0xa", "1:0xb", "1:0xc", "1:0xd"].map(vault), own);
  expect(listed.map(({ attention }) => attention)).toEqual([ATTENTION, [], null, null]);
  expect(listVaults([vault("1:0xa")])[0]?.attention).toBeNull();
});
