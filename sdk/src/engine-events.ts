// Generated from server/src/reports/events.ts by `npm run gen`. Do not edit.

export interface EngineEvents {
  /**
   * A run of a service finished. `run_id` identifies the run; a run reported twice counts once.
   */
  "vaultops.service.run": {
    /**
     * A name of lower-case letters, digits and underscores that begins with a letter, such as `fulfill_redeems`.
     */
    service: string;
    run_id: string;
    status: "success" | "failed" | "skipped";
    /**
     * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
     */
    started_at: string;
    /**
     * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
     */
    finished_at: string;
    schedule_seconds?: number;
    error?: string;
  };
  /**
   * Settings of a service. Pausing and resuming become audit entries.
   */
  "vaultops.service.state": {
    /**
     * A name of lower-case letters, digits and underscores that begins with a letter, such as `fulfill_redeems`.
     */
    service: string;
    is_enabled?: boolean;
    is_paused: boolean;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    paused_by?: string;
    reason?: string;
    schedule_seconds?: number;
    /**
     * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
     */
    next_run?: string;
    display_name?: string;
  };
  /**
   * An intent changed its state. Ordered by `seq` within an intent. COMPLETED, ABORTED, EXPIRED, FAILED and CANCELED are terminal.
   */
  "vaultops.intent.event": {
    intent_id: string;
    seq: number;
    state:
      | "RECEIVED"
      | "ACKED"
      | "STAGED"
      | "PLANNED"
      | "EXECUTING"
      | "COMPLETED"
      | "ABORTED"
      | "EXPIRED"
      | "FAILED"
      | "CANCELED";
    execution_id?: string;
    correlation_id?: string;
    strategy_id?: string;
    action?: string;
    error_code?: string;
    error_message?: string;
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    total_amount_in?: string;
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    total_amount_out?: string;
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    gas_used_total?: string;
    /**
     * Transaction hash: `0x` and 64 hexadecimal digits.
     */
    tx_hash?: string;
  };
  /**
   * An intent was filled, whole or in part, by a transaction. The service looks the transaction up: `onchain` of the fill says what the chain knows of it.
   */
  "vaultops.intent.fill": {
    fill_id: string;
    intent_id: string;
    /**
     * Chain identifier (EIP-155).
     */
    chain_id: number;
    /**
     * Transaction hash: `0x` and 64 hexadecimal digits.
     */
    tx_hash: string;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    token_in: string;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    token_out: string;
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    amount_in: string;
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    amount_out: string;
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    gas_used?: string;
    venue?: string;
    /**
     * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
     */
    fill_time: string;
  };
  /**
   * State of the shard that runs a vault. Replaces the state reported before. Stale when older than three ticks (90 s where `tick_interval` is 0).
   */
  "vaultops.shard.state": {
    strategy_count: number;
    active_intent_count: number;
    /**
     * Seconds.
     */
    tick_interval: number;
    fields: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: unknown;
    };
    /**
     * @maxItems 1000
     */
    strategies: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: unknown;
    }[];
    /**
     * @maxItems 1000
     */
    allocations: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: unknown;
    }[];
    /**
     * @maxItems 1000
     */
    emergency_locks: {
      strategy_id: string;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      target_address: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      started_at: string;
      reason: string;
    }[];
  };
  /**
   * Redemptions of a vault were executed. Joined with what is seen onchain: one transaction is one execution per vault, whichever is seen first.
   */
  "vaultops.redemption.execution": {
    execution_id: string;
    status: "pending" | "success" | "failed" | "skipped";
    /**
     * Transaction hash: `0x` and 64 hexadecimal digits.
     */
    tx_hash?: string;
    controllers_count: number;
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    total_shares_fulfilled: string;
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    total_assets_out: string;
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    pps_at_fulfillment: string;
    /**
     * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
     */
    created_at: string;
  };
  /**
   * Whether the vault's session key can be used. Only the public address is ever reported.
   */
  "vaultops.session_key.readiness": {
    is_ready: boolean;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    key_address: string;
    /**
     * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
     */
    expires_at: string;
    pending_rotation: boolean;
    reason?: string;
  };
  /**
   * A merkle root is being generated or published. A job that ends, with success or failure, becomes one audit entry.
   */
  "vaultops.merkle.job": {
    job_id: string;
    kind: "generate" | "publish";
    status: "running" | "success" | "failed";
    /**
     * Merkle root: `0x` and 64 hexadecimal digits.
     */
    root?: string;
    error?: string;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    actor_wallet?: string;
  };
  /**
   * The engine's own calculation of the price per share. Shown beside the onchain value as `reported_pps`.
   */
  "vaultops.pps.report": {
    /**
     * Onchain integer in raw units, as a decimal string.
     */
    value: string;
    /**
     * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
     */
    at: string;
  };
  /**
   * A manager's action that leaves no trace onchain. Becomes an audit entry. No report can create an entry of a kind that comes from the chain.
   */
  "vaultops.action": {
    action_type:
      "emergency_exit_arm" | "emergency_exit_stop" | "session_key_grant" | "session_key_rotate" | "session_key_revoke";
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    actor_wallet: string;
    details: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: unknown;
    };
  };
}
