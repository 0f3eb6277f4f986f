// The published Safe contracts: who says to be a Safe is one only where it is a proxy of this code before one of these singletons. They stand at
// the same addresses on every chain, made by factories whose addresses follow from what they deploy.
import { type Address, type Hex, keccak256 } from "viem";

/** Singletons by address, with the version that they announce. Those of zkSync, whose proxies have other code, are not among them. */
export const SAFE_SINGLETONS: ReadonlyMap<Address, string> = new Map<Address, string>([
  ["0xd9Db270c1B5E3Bd161E8c8503c55cEABeE709552", "1.3.0"],
  ["0x69f4D1788e39c87893C980c06EdF4b7f686e2938", "1.3.0"],
  ["0x3E5c63644E683549055b9Be8653de26E0B4CD36E", "1.3.0+L2"],
  ["0xfb1bffC9d739B8D520DaF37dF666da4C687191EA", "1.3.0+L2"],
  ["0x41675C099F32341bf84BFc5382aF534df5C7461a", "1.4.1"],
  ["0x29fcB43b46531BcA003ddC8FCB67FFE91900C762", "1.4.1+L2"],
  ["0xFf51A5898e281Db6DfC7855790607438dF2ca44b", "1.5.0"],
  ["0xEdd160fEBBD92E350D4D398fb636302fccd67C7e", "1.5.0+L2"],
]);

/** Hashes of the code of the proxies that the factories of 1.1.1, 1.2.0, 1.3.0, 1.4.1 and 1.5.0 make: older ones may have newer singletons. */
const PROXY_CODE_HASHES: ReadonlySet<Hex> = new Set<Hex>([
  "0xaea7d4252f6245f301e540cfbee27d3a88de543af8e49c5c62405d5499fab7e5",
  "0x958a485acd4eff0908ba6c67238d33eedec70bc99115074ad38ae14d1017f9db",
  "0xb89c1b3bdf2cf8827818646bce9a8f6e372885f8c55e5c07acbd307cb133b000",
  "0xd7d408ebcd99b2b70be43e20253d6d92a8ea8fab29bd3be7f55b10032331fb4c",
  "0x4e381985ca68b3e5d27b4425fa581c19cf33146d3f887a3cfca96f55528ea46f",
]);

/** MultiSend: what it is given in one go stands in the call, so that it is unpacked. */
export const MULTI_SENDS: ReadonlySet<Address> = new Set<Address>([
  "0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761",
  "0x998739BFdAAdde7C933B942a68053933098f9EDa",
  "0x40A2aCCbd92BCA938b02010E17A5b8929b49130D",
  "0xA1dabEF33b3B82c7814B6D82A79e50F4AC44102B",
  "0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526",
  "0x9641d764fc13c8B624c04430C7356C1C7C8102e2",
  "0x218543288004CD07832472D464648173c77D7eB7",
  "0xA83c336B20401Af773B6219BA5027174338D1836",
]);

/** Further contracts to which a Safe delegates in the ordinary course: SignMessageLib, SafeMigration, SafeToL2Migration and SafeToL2Setup. */
const LIBRARIES: ReadonlySet<Address> = new Set<Address>([
  "0xA65387F16B013cf2Af4605Ad8aA5ec25a2cbA3a2",
  "0x98FFBBF51bb33A056B08ddf711f289936AafF717",
  "0xd53cd0aB83D845Ac265BE939c57F53AD838012c9",
  "0x4FfeF8222648872B3dE295Ba1e49110E61f5b5aa",
  "0x526643F69b81B008F46d95CD5ced5eC0edFFDaC6",
  "0x6439e7ABD8Bb915A5263094784C5CF561c4172AC",
  "0xfF83F6335d8930cBad1c0D439A841f01888D9f69",
  "0xBD89A1CE4DDe368FFAB0eC35506eEcE0b1fFdc54",
  "0x900C7589200010D6C6eCaaE5B06EBe653bc2D82a",
]);

export function isSafeProxyCode(code: Hex): boolean {
  // The longest of them has 171 bytes: nothing else is hashed.
  return code.length <= 2 + 2 * 256 && PROXY_CODE_HASHES.has(keccak256(code));
}

/** Whether a Safe delegates to that contract in the ordinary course. */
export function isKnownLibrary(address: Address): boolean {
  return MULTI_SENDS.has(address) || LIBRARIES.has(address);
}
