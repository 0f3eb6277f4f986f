// Where the service differs from release 0.1 on purpose. A change that makes the tests of compatibility fail and is meant adds a line
// here and its words to the CHANGELOG, which say the way over; the test holds them to stand there.

export interface Deviation {
  /**
   * The beginning of the fault as the test tells it: the caller and request, or the route, with as much of the place as is needed. A
   * pattern where several requests have it.
   */
  fault: string | RegExp;
  /** A part of the CHANGELOG's line, word by word. */
  changelog: string;
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    // Nobody has accepted the vault that the recorded viewer was let see.
    fault: "viewer GET /api/v1/alerts.alerts[]: is empty",
    changelog: "the default lists of alerts leave out vaults that the caller has not accepted",
  },
  {
    // Wider than it was: the empty signature is taken too.
    fault: "POST /identity/token body.signature: pattern is another",
    changelog: "A Safe signs in with `0x` once its owners approved the challenge in a transaction",
  },
  ...["POST /api/v1/notification-channels", "PATCH /api/v1/notification-channels/{id}"].map((route) => ({
    fault: `${route} body.name: pattern is another`,
    changelog: "A name of a notification channel may hold no control character; it could hold one.",
  })),
  {
    fault: /^(\w+ )?GET \/api\/v1\/audit\/logs(?!\?cursor)\S*( 200)?\.next_cursor\b/,
    changelog: "A page of `GET /api/v1/audit/logs` by `offset` has `next_cursor: null`",
  },
];

export function isMeant(told: string): boolean {
  return DEVIATIONS.some(({ fault }) =>
    typeof fault === "string" ? told.startsWith(fault) : fault.test(told),
  );
}
