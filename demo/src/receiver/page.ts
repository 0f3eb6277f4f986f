/** The receiver's page: what came in, the newest first, redrawn every two seconds from `/messages`. */
export const RECEIVER_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>What the demo's channels and webhooks delivered</title>
<style>
  :root { color-scheme: light dark; --edge: #8884; --soft: #8881; }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.25rem; }
  article { border: 1px solid var(--edge); border-radius: 8px; padding: .75rem 1rem; margin: .75rem 0; }
  header { display: flex; gap: .75rem; flex-wrap: wrap; font-size: .85rem; opacity: .8; }
  h2 { font-size: 1rem; margin: .25rem 0; }
  p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
  pre { background: var(--soft); padding: .5rem; overflow: auto; max-height: 20rem; font-size: .8rem; }
  .refused { color: #d92d20; }
</style>
</head>
<body>
<h1>What the demo's channels and webhooks delivered</h1>
<p>This stands for Slack, Discord, Telegram, PagerDuty, Opsgenie, Teams, a mail server and a webhook endpoint, and refuses what they
would refuse. As JSON: <a href="/messages">/messages</a></p>
<main></main>
<script>
const main = document.querySelector("main");
const make = (name, text, parent) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
};
let shown = "";
async function draw() {
  const { messages } = await (await fetch("/messages")).json();
  const newest = JSON.stringify(messages[0] ?? null) + messages.length;
  if (newest === shown) return;
  shown = newest;
  main.replaceChildren();
  if (messages.length === 0) make("p", "Nothing yet. Start the demo with --scenario incident, or test a channel in the console.", main);
  for (const { at, provider, channel, status, signature, title, lines, raw } of messages) {
    const article = make("article", undefined, main);
    const head = make("header", undefined, article);
    make("strong", provider, head);
    make("span", channel, head);
    make("time", at, head);
    make("span", status < 300 ? "accepted (" + status + ")" : "refused (" + status + ")", head).className = status < 300 ? "" : "refused";
    if (signature !== null) make("span", "signature " + signature, head);
    make("h2", title, article);
    make("p", lines.join("\\n"), article);
    const details = make("details", undefined, article);
    make("summary", "as it was sent", details);
    make("pre", raw, details);
  }
}
const again = () => draw().catch(() => {}).finally(() => setTimeout(again, 2000));
again();
</script>
</body>
</html>
`;
