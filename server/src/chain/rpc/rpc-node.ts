// How an RPC node is reached: its URL, and the headers that it asks for (keys belong there rather than in a URL, which ends up in the
// logs of proxies). Credentials in the URL become the Authorization header.

export interface RpcNode {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * With the URL freed of its credentials, which are a header from here on. A header that is given stands before them, with the value that it
 * has when it is sent.
 */
export function rpcNodeOf(node: string | RpcNode): RpcNode {
  const { url: text, headers } = typeof node === "string" ? { url: node, headers: {} } : node;
  const url = new URL(text);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "") return { url: url.href, headers };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return {
    url: url.href,
    get headers() {
      return { authorization, ...headers };
    },
  };
}

export function isSocketNode({ url }: RpcNode): boolean {
  return /^wss?:/i.test(url);
}
