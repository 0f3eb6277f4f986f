// SHA-256 (FIPS 180-4), synchronous. The browser's own answers by a promise a call, which takes many times as long as the hash of a
// node, and only on pages that came over TLS; an export needs some twenty hashes an entry. Who has a faster one hands it in.

/** SHA-256 of the bytes, in 32 bytes. */
export type Sha256 = (data: Uint8Array) => Uint8Array;

export function sha256(data: Uint8Array): Uint8Array {
  const state = Int32Array.from(INITIAL);
  const end = data.length - (data.length % 64);
  for (let at = 0; at < end; at += 64) addBlock(state, data, at);
  // What is left, a one bit, zeros, and the length in bits.
  const left = data.length - end;
  const last = new Uint8Array(left < 56 ? 64 : 128);
  last.set(data.subarray(end));
  last[left] = 0x80;
  const view = new DataView(last.buffer);
  view.setUint32(last.length - 8, Math.floor(data.length / 2 ** 29));
  view.setUint32(last.length - 4, data.length * 8);
  for (let at = 0; at < last.length; at += 64) addBlock(state, last, at);
  const digest = new Uint8Array(32);
  const words = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) words.setInt32(i * 4, state[i]!);
  return digest;
}

function addBlock(state: Int32Array, data: Uint8Array, start: number): void {
  for (let i = 0, at = start; i < 16; i++, at += 4) {
    W[i] = (data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const [x, y] = [W[i - 15]!, W[i - 2]!];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    W[i] = W[i - 16]! + s0 + W[i - 7]! + s1;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + W[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/** Room for the words of a block; hashing is synchronous, so one is enough. */
const W = new Int32Array(64);
const PRIMES = primes(64);
/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of the first eight. */
const K = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}
