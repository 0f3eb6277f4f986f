// The command line: finds the command, reads its options, runs it. Each command's work stands in the room that it belongs to.
// Exit codes: 0 done, 1 failed or found wanting, 2 called in the wrong way.
import { parseArgs } from "node:util";
import { ConfigError } from "../config/error.ts";
import { type Command, UsageError } from "./command.ts";
import { COMMANDS } from "./commands.ts";

export async function main(argv: string[]): Promise<void> {
  const found = find(argv);
  if (!found) {
    process.exitCode = overviewFor(argv);
    return;
  }
  const { command, rest } = found;
  if (rest.includes("--help") && !command.isPassedOn) {
    console.log(usage(command));
    return;
  }
  try {
    process.exitCode = await run(command, rest);
  } catch (error) {
    process.exitCode = report(error, command);
  }
}

async function run(command: Command, rest: string[]): Promise<number | undefined> {
  if (command.isPassedOn) return await command.run({}, "", rest);
  const { values, positionals } = parseArgs({
    args: rest,
    options: optionsOf(command),
    allowPositionals: command.takes !== undefined,
  });
  const isOptional = command.takes?.startsWith("[");
  if (command.takes && (positionals.length > 1 || (positionals.length === 0 && !isOptional)))
    throw new UsageError(`Expected one ${command.takes}.`);
  const given = Object.entries(values).map(([name, value]) => [name, value === true ? "yes" : value]);
  return await command.run(Object.fromEntries(given), positionals[0] ?? "", rest);
}

function find(argv: string[]): { command: Command; rest: string[] } | null {
  for (const words of [2, 1]) {
    const command = COMMANDS.find(({ name }) => name === argv.slice(0, words).join(" "));
    if (command) return { command, rest: argv.slice(words) };
  }
  return null;
}

function optionsOf(command: Command) {
  return Object.fromEntries([
    ...Object.keys(command.options).map((name) => [name, { type: "string" as const }]),
    ...Object.keys(command.flags ?? {}).map((name) => [name, { type: "boolean" as const }]),
  ]);
}

function report(error: unknown, command: Command): number {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof UsageError || code?.startsWith("ERR_PARSE_ARGS")) {
    console.error(`${message}\n\n${usage(command)}`);
    return 2;
  }
  // What an operator can mend is told in words; a fault of the program with its stack.
  const isExpected =
    error instanceof ConfigError ||
    code !== undefined ||
    (error instanceof Error && error.constructor === Error);
  console.error(isExpected ? `vaultops ${command.name}: ${message}` : error);
  return 1;
}

/** What there is to choose from: of the commands that begin with the word given, else of all. The exit code. */
function overviewFor(argv: string[]): number {
  const [word = "--help", ...rest] = argv;
  const help = ["--help", "-h", "help"];
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
  const isAskedFor = help.includes(word) || (group.length > 0 && rest.some((each) => help.includes(each)));
  const out = isAskedFor ? console.log : console.error;
  if (!isAskedFor) out(`There is no command "${argv.slice(0, group.length > 0 ? 2 : 1).join(" ")}".\n`);
  out(overview(group.length > 0 ? group : COMMANDS));
  return isAskedFor ? 0 : 2;
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: vaultops COMMAND [OPTIONS]\n\n${lines.join("\n")}\n\n\`vaultops COMMAND --help\` shows a command's options.`;
}

function usage({ name, takes, summary, options, flags }: Command): string {
  const entries = Object.entries({ ...options, ...flags });
  const width = Math.max(0, ...entries.map(([option]) => option.length));
  const lines = entries.map(([option, description]) => `  --${option.padEnd(width)}  ${description}`);
  return [
    `Usage: vaultops ${name}${takes ? ` ${takes.toUpperCase()}` : ""}${entries.length > 0 ? " [OPTIONS]" : ""}`,
    "",
    summary,
    ...(lines.length > 0 ? ["", ...lines] : []),
  ].join("\n");
}

if (import.meta.main) await main(process.argv.slice(2));
