// Clients that poll, in a process of their own: each asks for the same thing again and again at its own pace, over a connection that it keeps,
// with the entity tag that it was last given. Argument: the plan as JSON. Says "ready", and to "report" what was asked since the last one.
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface PollPlan {
  url: string;
  clients: { name: string; path: string; token: string; everyMs: number }[];
}

export interface PollReport {
  /** By what was asked for: how long each answer took, in milliseconds. */
  tookMs: Record<string, number[]>;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Requests that were answered by nothing, and why. */
  broken: string[];
}

type Client = PollPlan["clients"][number];

const fresh = (): PollReport => ({ tookMs: {}, statuses: {}, broken: [] });
let report = fresh();

if (process.send) {
  const { url, clients } = JSON.parse(process.argv[2]!) as PollPlan;
  for (const client of clients) void poll(url, client);
  process.send("ready");
  process.on("message", () => {
    process.send!(report);
    report = fresh();
  });
  process.once("disconnect", () => process.exit(0));
}

async function poll(url: string, { name, path, token, everyMs }: Client): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let etag: string | undefined;
  let cursor: string | undefined;
  // Not all at once.
  await sleep(Math.random() * everyMs);
  for (let dueAt = performance.now(); ; dueAt += everyMs) {
    const askedAt = performance.now();
    try {
      const target = cursor === undefined ? path : `${path}&cursor=${cursor}`;
      const answer = await ask(agent, `${url}${target}`, {
        authorization: `Bearer ${token}`,
        ...(etag !== undefined && { "if-none-match": etag }),
      });
      report.tookMs[name] ??= [];
      report.tookMs[name].push(performance.now() - askedAt);
      report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1;
      etag = answer.etag ?? etag;
      if (path.includes("audit/logs") && answer.status === 200) {
        const { live_cursor, next_cursor } = JSON.parse(answer.text) as Record<string, string | null>;
        cursor = live_cursor ?? next_cursor ?? cursor;
      }
    } catch (error) {
      report.broken.push(`${name}: ${(error as Error).message}`);
    }
    await sleep(Math.max(0, dueAt + everyMs - performance.now()));
  }
}

interface Answer {
  status: number;
  etag: string | undefined;
  text: string;
}

async function ask(agent: Agent, url: string, headers: Record<string, string>): Promise<Answer> {
  const asked = request(url, { agent, headers }).end();
  try {
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return {
      status: answer.statusCode!,
      etag: answer.headers.etag,
      text: Buffer.concat(chunks).toString(),
    };
  } catch (error) {
    // The server gave the resting connection up while this was on its way: any client asks again.
    if (asked.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET")
      return await ask(agent, url, headers);
    throw error;
  }
}
