// Who may import whom (ARCHITECTURE.md). Type-only imports count.
const server = "^server/src/";
// Tests, and the files beside them that only tests use.
const test = "(\\.test|/test-[^/]*|/expected-[^/]*)\\.ts$";

/** What each folder of the server may import beside itself: nothing that stands further down. */
const ROOMS = {
  platform: ["vault"],
  judgements: [],
  chain: ["platform", "vault"],
  monitors: ["platform", "chain", "judgements", "vault"],
  config: ["platform", "monitors", "vault", "chain"],
  events: ["platform", "chain", "monitors", "vault"],
  delivery: ["platform", "events", "vault"],
  ingest: ["platform", "chain", "vault"],
  audit: ["platform", "chain", "events", "vault"],
  auth: ["platform", "chain", "events", "audit", "vault"],
  reports: ["platform", "chain", "events", "audit", "auth", "judgements", "vault"],
  features: ["platform", "chain", "monitors", "events", "delivery", "audit", "auth", "reports", "judgements", "vault"],
  service: ["platform", "chain", "config", "ingest", "events", "delivery", "audit", "auth", "reports", "features", "judgements", "vault"],
};

/** A rule: files under `from` (tests aside) must not import from `to`. */
const forbid = (name, comment, from, to, more = {}) => ({
  name,
  comment,
  severity: "error",
  from: { path: from, pathNot: test, ...more.from },
  to: { path: to, ...more.to },
});

module.exports = {
  forbidden: [
    { name: "no-cycles", comment: "A cycle has no beginning to read from.", severity: "error", from: {}, to: { circular: true } },
    { name: "resolvable", comment: "Every import must resolve.", severity: "error", from: {}, to: { couldNotResolve: true } },
    ...Object.entries(ROOMS).map(([room, may]) =>
      forbid(`${room}-imports`, `${room}/ may import ${may.join(", ") || "nothing"}.`, `${server}${room}/`, `${server}(?!(${[room, ...may].join("|")})[/.])`),
    ),
    forbid("vault-imports", "vault.ts is the vocabulary under everything.", `${server}vault\\.ts$`, `${server}`),
    forbid("chain-no-db", "chain/ knows no database.", `${server}chain/`, `${server}platform/(db|postgres)/|node_modules/(pg|kysely)/`),
    forbid(
      "signs-nothing",
      "The service prepares what others sign, and holds nothing that could: no key, no wallet, no signer. `vaultops sign-in` signs with a key that a person gives it.",
      `${server}(?!cli/sign-in)`,
      "node_modules/(viem/_(esm|cjs|types)/(accounts|clients/createWalletClient|actions/wallet)|@noble/|@scure/|ethers/|web3/)",
    ),
    forbid("block-before-head-and-past", "What a block becomes knows not who asks for it.", `${server}ingest/block/`, `${server}ingest/(head|past|lead)/`),
    forbid("past-knows-no-head", "The past is filled in beside the head, which waits for it.", `${server}ingest/past/`, `${server}ingest/head/`),
    {
      name: "feature-no-feature",
      comment: "Sideways talk goes through events/.",
      severity: "error",
      from: { path: `${server}features/([^/]+)/`, pathNot: test },
      to: { path: `${server}features/`, pathNot: `${server}features/$1/` },
    },
    forbid("proof-stands-alone", "Who checks the log needs nothing but this: no package, nothing of Node, nothing of the service.", "^proof/src/", "^(?!proof/src/)"),
    forbid("sdk-stands-alone", "The SDK is published: it imports nothing of the server.", "^sdk/", "^(server|demo|console)/"),
    forbid("console-over-the-api", "The console is a thin client: it knows the SDK, never the server.", "^console/(src|demo)/", "^(server|demo|bench|scripts)/|^console/e2e/"),
    forbid("console-not-from-elsewhere", "The console is served as built files, never imported.", "^(server|proof|sdk|demo)/", "^console/"),
    {
      name: "server-not-from-tests",
      comment: "The product never imports tests, the demo or the bench.",
      severity: "error",
      from: { path: "^(server/src|proof/src|sdk/src)/", pathNot: test },
      to: { path: "^(server/test|demo|bench|scripts)/" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.scratch/|^console/dist|^bench/peers/[^/]+/" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
};
