// Posts of undici and nothing else, for the bench of webhooks to be measured against.
import { Agent, request } from "undici";

export interface Post {
  url: string;
  id: string;
  body: string;
}

/** Posts all over so many connections, and resolves when every one is answered. */
export async function postAll(posts: Iterator<Post>, connections: number): Promise<void> {
  const agent = new Agent({ connections });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let next = posts.next(); !next.done; next = posts.next()) {
        const { url, id, body } = next.value;
        const answer = await request(url, {
          method: "POST",
          dispatcher: agent,
          headers: { "content-type": "application/json", "webhook-id": id },
          body,
        });
        await answer.body.dump();
      }
    }),
  );
  await agent.close();
}
