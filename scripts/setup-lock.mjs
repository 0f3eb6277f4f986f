// A lock that dies with whoever holds it: of several commands on one folder one at a time installs or builds.
//
// Each holder is a file in the lock's folder, numbered one higher than the last. The highest stays, so who finds it free or its holder gone,
// by whatever end, makes the next, and only one can. A holder is its process or the program that it has
// running, told from others of the same number by their start.
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

const ASK_AGAIN_MS = 200;
/** Whether a process of another machine or container lives cannot be asked; it says so every second. */
const FOREIGN_SILENT_MS = 5_000;
const SIGN_MS = 1_000;
const FREE = '{"holders":[]}';

/**
 * Runs `work` alone. What it starts it names by `running(child)`: as long as that lives, the lock is held, even by a holder that was killed.
 */
export async function withLock(folder, onWait, work) {
  mkdirSync(folder, { recursive: true });
  const number = await take(folder, onWait);
  const own = join(folder, String(number));
  const state = { holders: [processOf(process.pid)], sign: 0 };
  const write = (content) => {
    const made = `${own}.new-${process.pid}`;
    writeFileSync(made, JSON.stringify(content));
    renameSync(made, own);
  };
  const signs = setInterval(() => write({ ...state, sign: ++state.sign }), SIGN_MS);
  try {
    for (const name of readdirSync(folder)) {
      // Those before, and what they had not finished writing.
      if (/^\d/.test(name) && Number.parseInt(name, 10) < number) rmSync(join(folder, name), { force: true });
    }
    return await work((child) => {
      state.holders.push(processOf(child.pid));
      write(state);
    });
  } finally {
    clearInterval(signs);
    write(JSON.parse(FREE));
  }
}

async function take(folder, onWait) {
  let seen = null;
  for (let isFirst = true; ; isFirst = false) {
    const last = Math.max(0, ...readdirSync(folder).filter(isNumber).map(Number));
    const text = last === 0 ? FREE : read(join(folder, String(last)));
    if (text !== seen?.text) seen = { text, atMs: performance.now() };
    if (text !== null && !isHeld(text, performance.now() - seen.atMs)) {
      try {
        writeFileSync(
          join(folder, String(last + 1)),
          JSON.stringify({ holders: [processOf(process.pid)], sign: 0 }),
          {
            flag: "wx",
          },
        );
        return last + 1;
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      continue;
    }
    if (isFirst) onWait();
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

/** @param unchangedMs for how long the file has said the same */
function isHeld(text, unchangedMs) {
  let holders;
  try {
    ({ holders } = JSON.parse(text));
  } catch {
    // It is being written, or whoever wrote it was killed in the middle.
    return unchangedMs < FOREIGN_SILENT_MS;
  }
  return holders.some((holder) =>
    holder.where === HERE ? isAlive(holder) : unchangedMs < FOREIGN_SILENT_MS,
  );
}

function isAlive({ pid, startedAt }) {
  const now = startOf(pid);
  return now !== null && (startedAt === null || now === startedAt);
}

function processOf(pid) {
  return { pid, where: HERE, startedAt: pid === undefined ? null : startOf(pid) };
}

/** Where process ids mean the same: the machine since it was booted, or a container. */
const HERE = whereAmI();

function whereAmI() {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** What tells a process from a later one of the same number; null when there is none. One that has ended and waits for its parent is none. */
function startOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  if (stat !== null) {
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return "ZX".includes(fields[0]) ? null : fields[19];
  }
  if (process.platform === "linux") return null;
  const asked = spawnSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  const said = asked.stdout?.trim() ?? "";
  return said === "" || said.startsWith("Z") ? null : said.replace(/^\S+\s+/, "");
}

function isNumber(name) {
  return /^\d+$/.test(name);
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
