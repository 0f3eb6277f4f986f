// Who may import whom (ARCHITECTURE.md). Type-only imports count.
const server = "^server/src/";
// Tests, and the files beside them that only tests use.
const test = "(\\.test|/test-[^/]*|/expected-[^/]*|/conformance)\\.ts$";

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
    forbid("platform-knows-no-one", "platform/ knows of vaults what they are called by.", `${server}platform/`, `${server}(?!platform/|vault\\.ts$)`),
    forbid("chain-knows-no-database", "chain/ knows the EVM and platform/, no database.", `${server}chain/`, `${server}(ingest|events|delivery|audit|auth|features|config|app|main|cli)`),
    forbid("chain-no-db", "chain/ knows no database.", `${server}chain/`, `${server}platform/(db|postgres|migrate)|node_modules/(pg|kysely)/`),
    forbid("ingest-knows-no-feature", "ingest/ is handed its projections by main.ts.", `${server}ingest/`, `${server}(features|auth|audit|app|main|cli)`, {
      to: { path: `${server}(features|auth|app|main|cli)` },
    }),
    forbid("judgements-know-nothing", "judgements/ is pure: what is known in, a verdict out.", `${server}judgements/`, `${server}(?!judgements/)`),
    forbid("spine-knows-no-feature", "events, audit and auth stand below the features.", `${server}(events|audit|auth)/`, `${server}(features|ingest|app|main|cli)`),
    forbid("events-know-no-reader", "events/ is what others write to and read from.", `${server}events/`, `${server}(delivery|audit|auth)/`),
    forbid("delivery-knows-no-target", "delivery/ sends for features, on events/ and platform/ alone.", `${server}delivery/`, `${server}(chain|ingest|audit|auth|features|judgements|config|app|main|cli)`),
    forbid("feature-no-ingest", "A feature never imports ingest/.", `${server}features/`, `${server}(ingest|app|main|cli)`),
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
