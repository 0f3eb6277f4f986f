import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { proxySettingsOf, readSecretsAgain, secretRingOf } from "./load.ts";
import { folder, load } from "./test-files.ts";

const KEYS = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64")) as [string, string];
let count = 0;
/** A file of its own for each test, written as secrets are: beside it, then renamed. */
function secretFile(text: string) {
  const path = join(folder, `secret-${++count}`);
  const write = (content: string) => {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  };
  write(text);
  return { path, write, remove: () => rmSync(path) };
}

describe("a secret's file that changes", () => {
  it("counts without a restart, for keys and for headers of RPC nodes", () => {
    const smtp = secretFile("smtp://user:one@mail.example:587\n");
    const token = secretFile("a".repeat(32));
    const ring = secretFile(KEYS[0]);
    const proxy = secretFile("http://user:one@proxy.example:3128");
    const header = secretFile("first");
    const stream = secretFile("one\n");
    const config = load(`
smtp: { url_file: ${smtp.path}, from: a@vaults.example }
admin: { token_file: ${token.path} }
audit: { streams: [{ type: splunk_hec, url: https://s.example:8088, token_file: ${stream.path} }] }
secrets: { keys_file: ${ring.path} }
egress: { proxy_file: ${proxy.path} }
chains: [{ chain_id: 1, name: E, rpc_urls: [https://a.example, { url: https://b.example, headers: { X-Key: { file: ${header.path} } } }] }]
`);
    const { keys } = secretRingOf(config);
    const { proxyFor } = proxySettingsOf(config);
    expect([keys, proxyFor(new URL("https://x.example"))?.password]).toEqual([KEYS[0], "one"]);
    expect(readSecretsAgain(config)).toEqual({ changed: [], faults: [] });
    smtp.write("smtp://user:two@mail.example:587\n");
    token.write(`${"b".repeat(32)}\n`);
    ring.write(`${KEYS[1]},${KEYS[0]}`);
    proxy.write("http://user:two@proxy.example:3128");
    header.write("second\n");
    stream.write("two\n");
    expect(readSecretsAgain(config)).toEqual({
      changed: expect.arrayContaining([
        "admin.token",
        "secrets.keys",
        "egress.proxy",
        "smtp.url",
        "chains.0.rpc_urls.1.headers.x-key",
        "audit.streams.0.token",
      ]),
      faults: [],
    });
    expect(config.smtp.url).toBe("smtp://user:two@mail.example:587");
    expect(config.admin.token).toBe("b".repeat(32));
    expect(config.audit.streams).toMatchObject([{ name: "s.example:8088", token: "two" }]);
    expect(secretRingOf(config).keys).toBe(`${KEYS[1]},${KEYS[0]}`);
    expect(proxyFor(new URL("https://x.example"))?.password).toBe("two");
    expect(config.chains[0]?.rpc_urls[1]).toMatchObject({ headers: { "x-key": "second" } });
    expect(readSecretsAgain(config)).toEqual({ changed: [], faults: [] });
  });

  it("changes nothing while it is away or holds what the key cannot take, and quotes nothing", () => {
    const token = secretFile("a".repeat(32));
    const config = load(`admin: { token_file: ${token.path} }`);
    token.write("pl4nted");
    const { changed, faults } = readSecretsAgain(config);
    expect([changed, faults.length, faults.join("").includes("pl4nted")]).toEqual([[], 1, false]);
    token.remove();
    expect(readSecretsAgain(config).faults).toEqual([`admin.token: ${token.path} cannot be read`]);
    expect(readSecretsAgain(config).faults).toEqual([]);
    expect(config.admin.token).toBe("a".repeat(32));
    token.write("b".repeat(32));
    expect(readSecretsAgain(config).changed).toEqual(["admin.token"]);
  });

  it("changes nothing where it contradicts the rest", () => {
    const smtp = secretFile("smtp://user@mail.example:587");
    const secret = secretFile("client-secret");
    const config = load(`
smtp:
  url_file: ${smtp.path}
  from: a@vaults.example
  oauth2: { token_url: https://id.example/token, client_id: c, client_secret_file: ${secret.path} }
`);
    smtp.write("smtp://user:pl4nted@mail.example:587");
    const { changed, faults } = readSecretsAgain(config);
    expect([changed, config.smtp.url]).toEqual([[], "smtp://user@mail.example:587"]);
    expect(faults.join("")).toContain("must name the user and no password");
    expect(faults.join("")).not.toContain("pl4nted");
  });

  it("of the database's URL is read at the start alone", () => {
    const url = secretFile("postgres://app:one@db.example/vaultops");
    const config = load(`database: { url_file: ${url.path} }`);
    url.write("postgres://app:two@db.example/vaultops");
    expect(readSecretsAgain(config)).toEqual({ changed: [], faults: [] });
  });
});
