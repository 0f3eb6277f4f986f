// The browser that the tests drive: the one that VAULTOPS_CHROMIUM names, one that is here, or Debian's.
import { access, constants } from "node:fs/promises";
import { debianProgram } from "../../server/test/debian.ts";

/** Best is one without windows: the others draw for every page a tool bar that nobody sees, which takes more than the page. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
];
const PACKAGE = "chromium-headless-shell";
const HOW = `Install one (Debian: apt-get install ${PACKAGE}) or name one by VAULTOPS_CHROMIUM=/path/to/chromium.`;

/** The path of a Chromium. Throws, with what to do, where there is none and none can be installed. */
export async function chromiumPath(): Promise<string> {
  const named = process.env.VAULTOPS_CHROMIUM;
  if (named) {
    await access(named, constants.X_OK).catch((cause) => {
      throw new Error(`VAULTOPS_CHROMIUM names ${named}, which cannot be run.`, { cause });
    });
    return named;
  }
  return debianProgram(NAMES, PACKAGE).catch((cause) => {
    throw new Error(`The console's tests need a Chromium, and apt has not brought one. ${HOW}`, { cause });
  });
}
