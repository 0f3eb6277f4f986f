// Programs that figures fork and talk to: each sends one message when it is ready, and ends with the process that forked it.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface Forked {
  child: ChildProcess;
  /** Its first message. */
  said: unknown;
}

/** @throws Error when it ends before it says anything */
export async function forkProgram(path: string, args: readonly string[] = []): Promise<Forked> {
  const child = fork(path, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [said] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`${path} ended with ${code}`);
    }),
  ]);
  child.unref();
  child.channel?.unref();
  return { child, said };
}

/** Sends a message and resolves with the next one that comes. */
export async function ask(child: ChildProcess, message: unknown): Promise<unknown> {
  child.channel?.ref();
  const answered = once(child, "message");
  child.send(message as object);
  const [answer] = await answered;
  child.channel?.unref();
  return answer;
}

/** Ends the program and waits until it has. */
export async function endProgram(child: ChildProcess): Promise<void> {
  child.ref();
  const exited = once(child, "exit");
  child.disconnect();
  await exited;
}
