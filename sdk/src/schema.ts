// Generated from openapi.json by `npm run gen`. Do not edit.

export interface Routes {
  /**
   * Whether the process answers
   */
  "GET /livez": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      status: "ok";
    };
  };
  /**
   * Whether all that the service needs is in order
   */
  "GET /readyz": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      status: "ready";
      checks: {
        name: string;
        state: "ok" | "degraded" | "failed";
        detail: string | null;
      }[];
    };
  };
  /**
   * The caller's wallet and vault roles
   */
  "GET /api/v1/auth/me": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      /**
       * Address, EIP-55 checksummed.
       */
      wallet_address: string;
      /**
       * Whether the wallet is a primary or secondary manager of any vault.
       */
      is_manager: boolean;
      vaults: {
        /**
         * Address, EIP-55 checksummed.
         */
        vault_address: string;
        /**
         * Chain identifier (EIP-155).
         */
        chain_id: number;
        /**
         * The wallet's strongest role on that vault.
         */
        role: "primary_manager" | "secondary_manager" | "view_only";
        /**
         * False while the wallet has neither accepted the vault (`PUT /api/v1/me/vaults/{vault_id}`) nor sent a transaction itself that made an entry of it: anybody may have named it. Webhooks for all vaults and the default lists of alerts leave the vault out until then; everything else works.
         */
        accepted: boolean;
      }[];
      /**
       * Whether the wallet may read every vault.
       */
      is_registry_maintainer: boolean;
      scope: "full" | "read";
      /**
       * When the token expires.
       */
      expires_at: string;
      /**
       * The only chain whose roles count with this token: a contract signed for it, and on another chain another contract may stand at its address. Null for a key's signature, which counts everywhere.
       */
      limited_to_chain_id: number | null;
    };
  };
  /**
   * Validate a JWT
   */
  "GET /api/v1/auth/verify": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      verified: boolean;
      /**
       * Address, EIP-55 checksummed.
       */
      walletAddress: string;
      isManager: boolean;
      /**
       * Addresses of the vaults that the wallet manages.
       *
       * Items: Address, EIP-55 checksummed.
       */
      vaults: string[];
      /**
       * The only chain whose roles count with this token: a contract signed for it, and on another chain another contract may stand at its address. Null for a key's signature, which counts everywhere.
       */
      limitedToChainId: number | null;
    };
  };
  /**
   * How to sign in
   */
  "GET /api/v1/auth/config": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      issuers: {
        issuer: string;
        profile: "dynamic" | "privy" | "generic";
        console: {
          client_id: string | null;
          scope: string;
          /**
           * Where the code flow begins; null while the provider does not answer, and without `client_id`.
           */
          authorization_endpoint: string | null;
          /**
           * Whether the provider names itself in its answers (RFC 9207): one that does not is refused.
           */
          requires_iss: boolean;
          /**
           * A page of the operator's that returns `#token=…&state=…`.
           */
          sign_in_url: string | null;
        } | null;
      }[];
      embedded: {
        auth_url: string;
        /**
         * Items: Chain identifier (EIP-155).
         */
        chain_ids: number[];
      } | null;
    };
  };
  /**
   * Exchange an authorization code for a JWT
   */
  "POST /api/v1/auth/exchange": {
    path: {};
    query: {};
    body: {
      issuer: string;
      code: string;
      code_verifier: string;
      /**
       * `{public_url}/sign-in`, exactly.
       */
      redirect_uri: string;
    };
    answer: {
      token: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      expires_at: string;
    };
  };
  /**
   * Public keys of the embedded identity provider
   */
  "GET /identity/.well-known/jwks.json": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      keys: {
        [k: string]: unknown;
      }[];
    };
  };
  /**
   * Ask for a message to sign
   */
  "POST /identity/challenge": {
    path: {};
    query: {};
    body: {
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      address: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
    };
    answer: {
      challenge_id: string;
      typed_data: {
        [k: string]: unknown;
      };
      /**
       * The EIP-712 hash of `typed_data`, 32 bytes in hex.
       */
      hash: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      expires_at: string;
    };
  };
  /**
   * Exchange a signature for a JWT
   */
  "POST /identity/token": {
    path: {};
    query: {};
    body: {
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      address: string;
      challenge_id: string;
      /**
       * The signature of `typed_data`: `0x` and an even number of hexadecimal digits; `0x` alone is the empty one.
       */
      signature: string;
      /**
       * `read` for a token that may only read.
       */
      scope?: "full" | "read";
      /**
       * Life in seconds: 3600 at most, 86400 with `scope: read`; by default that most.
       */
      expires_in?: number;
    };
    answer: {
      token: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      expires_at: string;
    };
  };
  /**
   * The chains that are followed
   */
  "GET /api/v1/chains": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      name: string;
      explorer_url: string | null;
      head_block: number | null;
      confirmed_block: number | null;
      lag_seconds: number | null;
      /**
       * The node answers, but the chain makes no new blocks.
       */
      is_halted: boolean;
    }[];
  };
  /**
   * All vault deployments with TVL and APY
   */
  "GET /api/v1/public/vaults": {
    path: {};
    query: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: number;
    };
    body: undefined;
    answer: {
      /**
       * `{chain_id}:{vault_address}`.
       */
      vault_id: string;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Kind of contract.
       */
      family: "supervault" | "erc4626";
      name: string | null;
      symbol: string | null;
      vault_share_decimals: number;
      /**
       * Address, EIP-55 checksummed.
       */
      underlying_asset_address: string;
      underlying_asset_symbol: string | null;
      underlying_asset_decimals: number;
      tvl: string | null;
      tvl_usd: number | null;
      tvl_usd_unavailable_reason: string | null;
      apy: number | null;
      apy_1d: number | null;
      apy_7d: number | null;
      apy_30d: number | null;
      apy_inception: number | null;
      pps: string | null;
      is_paused: boolean | null;
      created_at: string | null;
      updated_at: string | null;
      /**
       * Why a field of that name is null, where known. `not_read_since <time>`, beside a value too: the node could not be asked since, the value is that of the time.
       */
      unavailable_reasons: {
        [k: string]: string;
      };
    }[];
  };
  /**
   * The caller's vaults
   */
  "GET /api/v1/vaults": {
    path: {};
    query: {
      /**
       * Whole records instead of short forms.
       */
      fields?: "state";
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: number;
    };
    body: undefined;
    answer: {
      /**
       * Short forms, or with `fields=state` whole records.
       */
      vaults: (
        | {
            /**
             * `{chain_id}:{vault_address}`.
             */
            vault_id: string;
            /**
             * Address, EIP-55 checksummed.
             */
            vault_address: string;
            /**
             * Chain identifier (EIP-155).
             */
            chain_id: number;
            role: ("primary_manager" | "secondary_manager" | "view_only") | null;
            name: string | null;
            symbol: string | null;
            is_paused: boolean | null;
            is_pps_stale: boolean;
            staleness_reason: ("expired" | "flagged" | "never_updated") | null;
            remaining_staleness_time: number | null;
            attention:
              | {
                  /**
                   * Category of the alert.
                   */
                  kind: string;
                  severity: "critical" | "warning";
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  since: string;
                  text: string;
                  /**
                   * The alert in the console.
                   */
                  link: string;
                }[]
              | null;
          }
        | {
            /**
             * `{chain_id}:{vault_address}`.
             */
            vault_id: string;
            /**
             * Address, EIP-55 checksummed.
             */
            vault_address: string;
            /**
             * Chain identifier (EIP-155).
             */
            chain_id: number;
            /**
             * Kind of contract.
             */
            family: "supervault" | "erc4626";
            name: string | null;
            symbol: string | null;
            vault_share_decimals: number;
            /**
             * Address, EIP-55 checksummed.
             */
            underlying_asset_address: string;
            underlying_asset_symbol: string | null;
            underlying_asset_decimals: number;
            tvl: string | null;
            tvl_usd: number | null;
            tvl_usd_unavailable_reason: string | null;
            apy: number | null;
            apy_1d: number | null;
            apy_7d: number | null;
            apy_30d: number | null;
            apy_inception: number | null;
            pps: string | null;
            is_paused: boolean | null;
            created_at: string | null;
            updated_at: string | null;
            /**
             * Why a field of that name is null, where known. `not_read_since <time>`, beside a value too: the node could not be asked since, the value is that of the time.
             */
            unavailable_reasons: {
              [k: string]: string;
            };
            strategy_address: string | null;
            escrow_address: string | null;
            current_pps: string | null;
            /**
             * Decimals of the price per share: those of the asset.
             */
            pps_decimals: number;
            last_pps_update_timestamp: string | null;
            pps_expires_at: string | null;
            pps_would_expire_at: string | null;
            pps_expiration_seconds: number | null;
            max_staleness_seconds: number | null;
            min_update_interval_seconds: number | null;
            hwm_pps: string | null;
            reported_pps: {
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              value: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              at: string;
            } | null;
            is_paused_since: string | null;
            emergency_exit: {
              is_armed: boolean;
              since: string | null;
              by: string | null;
            };
            total_assets: string | null;
            total_supply: string | null;
            escrowed_assets: string | null;
            free_assets: string | null;
            fee_config: {
              performance_fee_bps: number | null;
              management_fee_bps: number | null;
              recipient: string | null;
            } | null;
            managers: {
              primary: string | null;
              /**
               * Items: Address, EIP-55 checksummed.
               */
              secondary: string[];
            };
            upkeep_info: {
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              balance: string;
              token: string | null;
              threshold: {
                required_balance: string | null;
                shortfall: string | null;
              };
            } | null;
            activation: {
              is_active: boolean;
              status: "active" | "insufficient_upkeep";
              reason: string | null;
            } | null;
            merkle: {
              root: string;
              proposed_root: string | null;
              effective_at: string | null;
              is_vetoed: boolean;
              is_global_root_vetoed: boolean | null;
            } | null;
            yield_sources: {
              /**
               * Address, EIP-55 checksummed.
               */
              address: string;
              /**
               * Address, EIP-55 checksummed.
               */
              oracle: string;
              added_at: string | null;
              allocation_assets: string | null;
            }[];
            pending_changes: {
              kind:
                | "primary_manager"
                | "fee_config"
                | "pps_expiration"
                | "min_update_interval"
                | "hooks_root"
                | "upkeep_withdrawal";
              /**
               * The value in force.
               */
              current: {
                [k: string]: unknown;
              };
              /**
               * The value that replaces it.
               */
              proposed: {
                [k: string]: unknown;
              };
              proposer: string | null;
              effective_at: string | null;
            }[];
            pending_redeems: {
              count: number;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              shares: string;
            };
            as_of: {
              block_number: number;
              block_hash: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              confirmed: boolean;
            } | null;
            role: ("primary_manager" | "secondary_manager" | "view_only") | null;
            attention:
              | {
                  /**
                   * Category of the alert.
                   */
                  kind: string;
                  severity: "critical" | "warning";
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  since: string;
                  text: string;
                  /**
                   * The alert in the console.
                   */
                  link: string;
                }[]
              | null;
            remaining_staleness_time: number | null;
            is_pps_stale: boolean;
            staleness_reason: ("expired" | "flagged" | "never_updated") | null;
          }
      )[];
    };
  };
  /**
   * A vault's state
   */
  "GET /api/v1/vaults/{chain_id}/{address}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      address: string;
    };
    query: {};
    body: undefined;
    answer: {
      /**
       * `{chain_id}:{vault_address}`.
       */
      vault_id: string;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Kind of contract.
       */
      family: "supervault" | "erc4626";
      name: string | null;
      symbol: string | null;
      vault_share_decimals: number;
      /**
       * Address, EIP-55 checksummed.
       */
      underlying_asset_address: string;
      underlying_asset_symbol: string | null;
      underlying_asset_decimals: number;
      tvl: string | null;
      tvl_usd: number | null;
      tvl_usd_unavailable_reason: string | null;
      apy: number | null;
      apy_1d: number | null;
      apy_7d: number | null;
      apy_30d: number | null;
      apy_inception: number | null;
      pps: string | null;
      is_paused: boolean | null;
      created_at: string | null;
      updated_at: string | null;
      /**
       * Why a field of that name is null, where known. `not_read_since <time>`, beside a value too: the node could not be asked since, the value is that of the time.
       */
      unavailable_reasons: {
        [k: string]: string;
      };
      strategy_address: string | null;
      escrow_address: string | null;
      current_pps: string | null;
      /**
       * Decimals of the price per share: those of the asset.
       */
      pps_decimals: number;
      last_pps_update_timestamp: string | null;
      pps_expires_at: string | null;
      pps_would_expire_at: string | null;
      pps_expiration_seconds: number | null;
      max_staleness_seconds: number | null;
      min_update_interval_seconds: number | null;
      hwm_pps: string | null;
      reported_pps: {
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        value: string;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
      } | null;
      is_paused_since: string | null;
      emergency_exit: {
        is_armed: boolean;
        since: string | null;
        by: string | null;
      };
      total_assets: string | null;
      total_supply: string | null;
      escrowed_assets: string | null;
      free_assets: string | null;
      fee_config: {
        performance_fee_bps: number | null;
        management_fee_bps: number | null;
        recipient: string | null;
      } | null;
      managers: {
        primary: string | null;
        /**
         * Items: Address, EIP-55 checksummed.
         */
        secondary: string[];
      };
      upkeep_info: {
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        balance: string;
        token: string | null;
        threshold: {
          required_balance: string | null;
          shortfall: string | null;
        };
      } | null;
      activation: {
        is_active: boolean;
        status: "active" | "insufficient_upkeep";
        reason: string | null;
      } | null;
      merkle: {
        root: string;
        proposed_root: string | null;
        effective_at: string | null;
        is_vetoed: boolean;
        is_global_root_vetoed: boolean | null;
      } | null;
      yield_sources: {
        /**
         * Address, EIP-55 checksummed.
         */
        address: string;
        /**
         * Address, EIP-55 checksummed.
         */
        oracle: string;
        added_at: string | null;
        allocation_assets: string | null;
      }[];
      pending_changes: {
        kind:
          | "primary_manager"
          | "fee_config"
          | "pps_expiration"
          | "min_update_interval"
          | "hooks_root"
          | "upkeep_withdrawal";
        /**
         * The value in force.
         */
        current: {
          [k: string]: unknown;
        };
        /**
         * The value that replaces it.
         */
        proposed: {
          [k: string]: unknown;
        };
        proposer: string | null;
        effective_at: string | null;
      }[];
      pending_redeems: {
        count: number;
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        shares: string;
      };
      as_of: {
        block_number: number;
        block_hash: string;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        block_timestamp: string;
        confirmed: boolean;
      } | null;
      role: ("primary_manager" | "secondary_manager" | "view_only") | null;
      attention:
        | {
            /**
             * Category of the alert.
             */
            kind: string;
            severity: "critical" | "warning";
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            since: string;
            text: string;
            /**
             * The alert in the console.
             */
            link: string;
          }[]
        | null;
      remaining_staleness_time: number | null;
      is_pps_stale: boolean;
      staleness_reason: ("expired" | "flagged" | "never_updated") | null;
    };
  };
  /**
   * A vault's price per share through time
   */
  "GET /api/v1/vaults/{chain_id}/{address}/pps": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      address: string;
    };
    query: {
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: string;
      /**
       * Every point, or the last of each hour or day.
       */
      interval?: "raw" | "hour" | "day";
      /**
       * The `next_cursor` of the page before.
       */
      cursor?: string;
      /**
       * Page size, 1 to 5000.
       */
      limit?: number;
    };
    body: undefined;
    answer: {
      points: {
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        timestamp: string;
        pps: string | null;
        tvl: string | null;
        tvl_usd: number | null;
        block_number: number;
      }[];
      next_cursor: string | null;
    };
  };
  /**
   * A vault's realised APY
   */
  "GET /api/v1/vaults/{chain_id}/{address}/apy": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      address: string;
    };
    query: {
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: string;
      /**
       * Every point, or the last of each hour or day.
       */
      interval?: "hour" | "day";
      /**
       * The `next_cursor` of the page before.
       */
      cursor?: string;
      /**
       * Page size, 1 to 5000.
       */
      limit?: number;
    };
    body: undefined;
    answer: {
      windows: {
        "1d": number | null;
        "7d": number | null;
        "30d": number | null;
        inception: number | null;
      };
      window_details: {
        "1d": {
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          from_timestamp: string;
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          to_timestamp: string;
          /**
           * Onchain integer in raw units, as a decimal string.
           */
          from_pps: string;
          /**
           * Onchain integer in raw units, as a decimal string.
           */
          to_pps: string;
          /**
           * `from_pps` × 10^18, with as many digits as the contract gives: what the yield is computed from.
           */
          from_pps_e18: string;
          /**
           * `to_pps` × 10^18, likewise.
           */
          to_pps_e18: string;
          seconds: number;
        } | null;
        "7d": {
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          from_timestamp: string;
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          to_timestamp: string;
          /**
           * Onchain integer in raw units, as a decimal string.
           */
          from_pps: string;
          /**
           * Onchain integer in raw units, as a decimal string.
           */
          to_pps: string;
          /**
           * `from_pps` × 10^18, with as many digits as the contract gives: what the yield is computed from.
           */
          from_pps_e18: string;
          /**
           * `to_pps` × 10^18, likewise.
           */
          to_pps_e18: string;
          seconds: number;
        } | null;
        "30d": {
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          from_timestamp: string;
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          to_timestamp: string;
          /**
           * Onchain integer in raw units, as a decimal string.
           */
          from_pps: string;
          /**
           * Onchain integer in raw units, as a decimal string.
           */
          to_pps: string;
          /**
           * `from_pps` × 10^18, with as many digits as the contract gives: what the yield is computed from.
           */
          from_pps_e18: string;
          /**
           * `to_pps` × 10^18, likewise.
           */
          to_pps_e18: string;
          seconds: number;
        } | null;
        inception: {
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          from_timestamp: string;
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          to_timestamp: string;
          /**
           * Onchain integer in raw units, as a decimal string.
           */
          from_pps: string;
          /**
           * Onchain integer in raw units, as a decimal string.
           */
          to_pps: string;
          /**
           * `from_pps` × 10^18, with as many digits as the contract gives: what the yield is computed from.
           */
          from_pps_e18: string;
          /**
           * `to_pps` × 10^18, likewise.
           */
          to_pps_e18: string;
          seconds: number;
        } | null;
      };
      unavailable_reasons: {
        [k: string]: string;
      };
      points: {
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        timestamp: string;
        apy_7d: number | null;
      }[];
      next_cursor: string | null;
    };
  };
  /**
   * Token asset metadata
   */
  "GET /api/v1/registry/token-assets": {
    path: {};
    query: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: number;
      /**
       * Only these, comma-separated or repeated.
       *
       * @minItems 1
       * @maxItems 100
       *
       * Items: Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      addresses?: string[];
    };
    body: undefined;
    answer: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      address: string;
      symbol: string | null;
      name: string | null;
      decimals: number | null;
      logo_uri: string | null;
      price_usd: number | null;
      price_updated_at: string | null;
      price_source: string | null;
      price_unavailable_reason: string | null;
    }[];
  };
  /**
   * Members of a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault_address}/members": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
    };
    query: {};
    body: undefined;
    answer: {
      /**
       * Address, EIP-55 checksummed.
       */
      wallet: string;
      role: "primary_manager" | "secondary_manager" | "view_only";
      granted_by: string | null;
      granted_at: string | null;
    }[];
  };
  /**
   * Let a wallet see the vault
   */
  "PUT /api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      wallet: string;
    };
    query: {};
    body: {
      role: "view_only";
    };
    answer: {
      /**
       * Address, EIP-55 checksummed.
       */
      wallet: string;
      role: "primary_manager" | "secondary_manager" | "view_only";
      granted_by: string | null;
      granted_at: string | null;
    };
  };
  /**
   * Take view_only back
   */
  "DELETE /api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      wallet: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Accept a vault that names you, or take that back
   */
  "PUT /api/v1/me/vaults/{vault_id}": {
    path: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id: string;
    };
    query: {};
    body: {
      accepted: boolean;
    };
    answer: {
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      role: "primary_manager" | "secondary_manager" | "view_only";
      accepted: boolean;
    };
  };
  /**
   * Notification channels that you may see
   */
  "GET /api/v1/notification-channels": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      id: string;
      provider: "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
      name: string;
      /**
       * As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.
       */
      config: {
        [k: string]: string;
      };
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
      is_enabled: boolean;
      disabled_reason: string | null;
      /**
       * Mail addresses that get nothing until they confirm by the link that they were sent.
       */
      unconfirmed_addresses: string[];
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      /**
       * Whether you may change and delete it, and not only see and test it.
       */
      can_manage: boolean;
    }[];
  };
  /**
   * Make a notification channel
   */
  "POST /api/v1/notification-channels": {
    path: {};
    query: {};
    body: {
      provider: "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
      /**
       * What people call it: one line that is not blank, without control characters.
       */
      name: string;
      /**
       * As the provider's `config_schema` says (`GET /api/v1/notification-channels/providers`).
       */
      config: {};
    };
    answer: {
      id: string;
      provider: "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
      name: string;
      /**
       * As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.
       */
      config: {
        [k: string]: string;
      };
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
      is_enabled: boolean;
      disabled_reason: string | null;
      /**
       * Mail addresses that get nothing until they confirm by the link that they were sent.
       */
      unconfirmed_addresses: string[];
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      /**
       * Whether you may change and delete it, and not only see and test it.
       */
      can_manage: boolean;
    };
  };
  /**
   * Providers and how their channels are configured
   */
  "GET /api/v1/notification-channels/providers": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      provider: "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
      title: string;
      /**
       * JSON Schema of a channel's `config`.
       */
      config_schema: {
        [k: string]: unknown;
      };
      /**
       * Members of `config` that are kept sealed and shown masked.
       */
      secrets: string[];
    }[];
  };
  /**
   * A notification channel
   */
  "GET /api/v1/notification-channels/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      id: string;
      provider: "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
      name: string;
      /**
       * As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.
       */
      config: {
        [k: string]: string;
      };
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
      is_enabled: boolean;
      disabled_reason: string | null;
      /**
       * Mail addresses that get nothing until they confirm by the link that they were sent.
       */
      unconfirmed_addresses: string[];
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      /**
       * Whether you may change and delete it, and not only see and test it.
       */
      can_manage: boolean;
    };
  };
  /**
   * Change a notification channel
   */
  "PATCH /api/v1/notification-channels/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: {
      /**
       * What people call it: one line that is not blank, without control characters.
       */
      name?: string;
      /**
       * Members to change; those left out stay, null takes one out, and a secret sent back as it was shown stays as it is. A member that decides where the secrets are sent (any but those marked `x-keeps-destination` or `x-signs-only` in the provider's `config_schema`) changes only together with the secrets, in full; else 400 `secret_required`.
       */
      config?: {};
      /**
       * What is pending for a channel is canceled when it is disabled.
       */
      is_enabled?: boolean;
    };
    answer: {
      id: string;
      provider: "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
      name: string;
      /**
       * As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.
       */
      config: {
        [k: string]: string;
      };
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
      is_enabled: boolean;
      disabled_reason: string | null;
      /**
       * Mail addresses that get nothing until they confirm by the link that they were sent.
       */
      unconfirmed_addresses: string[];
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      /**
       * Whether you may change and delete it, and not only see and test it.
       */
      can_manage: boolean;
    };
  };
  /**
   * Delete a notification channel
   */
  "DELETE /api/v1/notification-channels/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Send a test message
   */
  "POST /api/v1/notification-channels/{id}/test": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      delivery_id: string;
      status: "delivered" | "failed";
      status_code: number | null;
      error: string | null;
      response_excerpt: string | null;
    };
  };
  /**
   * Ask the addresses of an email channel again
   */
  "POST /api/v1/notification-channels/{id}/confirmations": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      asked: string[];
    };
  };
  /**
   * What was sent to a channel
   */
  "GET /api/v1/notification-channels/{id}/deliveries": {
    path: {
      id: string;
    };
    query: {
      status?: "pending" | "delivered" | "failed" | "dead" | "canceled";
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: {
      deliveries: {
        id: string;
        event_id: string | null;
        event_type: string;
        /**
         * Chain identifier (EIP-155); 0 for what concerns no vault.
         */
        chain_id: number;
        /**
         * Address, EIP-55 checksummed.
         */
        vault_address: string;
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        created_at: string;
        next_attempt_at: string | null;
        attempts: {
          number: number;
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          at: string;
          status_code: number | null;
          error: string | null;
          duration_ms: number | null;
          response_excerpt: string | null;
        }[];
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * Channels bound to a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault_address}/notification-channels": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
    };
    query: {};
    body: undefined;
    answer: {
      id: string;
      provider: "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
      name: string;
      /**
       * As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.
       */
      config: {
        [k: string]: string;
      };
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
      is_enabled: boolean;
      disabled_reason: string | null;
      /**
       * Mail addresses that get nothing until they confirm by the link that they were sent.
       */
      unconfirmed_addresses: string[];
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      categories: (
        | "upkeep"
        | "pps_staleness"
        | "keeper_run"
        | "session_key"
        | "emergency_pause"
        | "emergency_exit"
        | "merkle"
        | "execution"
        | "system"
      )[];
      min_severity: "critical" | "warning" | "info";
      /**
       * Address, EIP-55 checksummed.
       */
      bound_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      bound_at: string;
      /**
       * Who bound it manages the vault no more. Alerts still go there; a manager confirms it by binding it again, or unbinds it.
       */
      needs_confirmation: boolean;
    }[];
  };
  /**
   * Bind a channel to a vault
   */
  "POST /api/v1/vaults/{chain_id}/{vault_address}/notification-channels": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
    };
    query: {};
    body: {
      channel_id: string;
      /**
       * Default: all.
       *
       * @minItems 1
       * @maxItems 9
       */
      categories?: (
        | "upkeep"
        | "pps_staleness"
        | "keeper_run"
        | "session_key"
        | "emergency_pause"
        | "emergency_exit"
        | "merkle"
        | "execution"
        | "system"
      )[];
      /**
       * Default: `info`, which is all.
       */
      min_severity?: "critical" | "warning" | "info";
    };
    answer: {
      id: string;
      provider: "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
      name: string;
      /**
       * As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.
       */
      config: {
        [k: string]: string;
      };
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
      is_enabled: boolean;
      disabled_reason: string | null;
      /**
       * Mail addresses that get nothing until they confirm by the link that they were sent.
       */
      unconfirmed_addresses: string[];
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      categories: (
        | "upkeep"
        | "pps_staleness"
        | "keeper_run"
        | "session_key"
        | "emergency_pause"
        | "emergency_exit"
        | "merkle"
        | "execution"
        | "system"
      )[];
      min_severity: "critical" | "warning" | "info";
      /**
       * Address, EIP-55 checksummed.
       */
      bound_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      bound_at: string;
      /**
       * Who bound it manages the vault no more. Alerts still go there; a manager confirms it by binding it again, or unbinds it.
       */
      needs_confirmation: boolean;
    };
  };
  /**
   * Bind a channel to a vault, by its path
   */
  "POST /api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
      channel_id: string;
    };
    query: {};
    body:
      | {
          /**
           * Default: all.
           *
           * @minItems 1
           * @maxItems 9
           */
          categories?: (
            | "upkeep"
            | "pps_staleness"
            | "keeper_run"
            | "session_key"
            | "emergency_pause"
            | "emergency_exit"
            | "merkle"
            | "execution"
            | "system"
          )[];
          /**
           * Default: `info`, which is all.
           */
          min_severity?: "critical" | "warning" | "info";
        }
      | undefined;
    answer: {
      id: string;
      provider: "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
      name: string;
      /**
       * As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.
       */
      config: {
        [k: string]: string;
      };
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
      is_enabled: boolean;
      disabled_reason: string | null;
      /**
       * Mail addresses that get nothing until they confirm by the link that they were sent.
       */
      unconfirmed_addresses: string[];
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      categories: (
        | "upkeep"
        | "pps_staleness"
        | "keeper_run"
        | "session_key"
        | "emergency_pause"
        | "emergency_exit"
        | "merkle"
        | "execution"
        | "system"
      )[];
      min_severity: "critical" | "warning" | "info";
      /**
       * Address, EIP-55 checksummed.
       */
      bound_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      bound_at: string;
      /**
       * Who bound it manages the vault no more. Alerts still go there; a manager confirms it by binding it again, or unbinds it.
       */
      needs_confirmation: boolean;
    };
  };
  /**
   * Unbind a channel from a vault
   */
  "DELETE /api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
      channel_id: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Status of the services
   */
  "GET /api/v1/services/status": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      services: {
        name: string;
        display_name: string;
        /**
         * `paused` (or switched off): never late. `critical`: success rate under 0.80, or three schedules or more since the last run. `warning`: under 0.95, or two. `unknown`: never reported. The rate counts from five runs on; without a schedule nothing is late.
         */
        status: "critical" | "warning" | "paused" | "healthy" | "unknown";
        last_run: string | null;
        next_run: string | null;
        schedule_seconds: number | null;
        success_rate: number | null;
        avg_execution_time: number | null;
        avg_execution_time_seconds: number | null;
        /**
         * Skipped runs included.
         */
        total_executions: number;
        /**
         * False where the service was reported to be switched off.
         */
        is_enabled: boolean;
      }[];
    };
  };
  /**
   * Status of the services
   */
  "GET /services/status": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      services: {
        name: string;
        display_name: string;
        /**
         * `paused` (or switched off): never late. `critical`: success rate under 0.80, or three schedules or more since the last run. `warning`: under 0.95, or two. `unknown`: never reported. The rate counts from five runs on; without a schedule nothing is late.
         */
        status: "critical" | "warning" | "paused" | "healthy" | "unknown";
        last_run: string | null;
        next_run: string | null;
        schedule_seconds: number | null;
        success_rate: number | null;
        avg_execution_time: number | null;
        avg_execution_time_seconds: number | null;
        /**
         * Skipped runs included.
         */
        total_executions: number;
        /**
         * False where the service was reported to be switched off.
         */
        is_enabled: boolean;
      }[];
    };
  };
  /**
   * Services of a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/services": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: string;
    };
    query: {};
    body: undefined;
    answer: {
      name: string;
      display_name: string;
      /**
       * `paused` (or switched off): never late. `critical`: success rate under 0.80, or three schedules or more since the last run. `warning`: under 0.95, or two. `unknown`: never reported. The rate counts from five runs on; without a schedule nothing is late.
       */
      status: "critical" | "warning" | "paused" | "healthy" | "unknown";
      last_run: string | null;
      next_run: string | null;
      schedule_seconds: number | null;
      success_rate: number | null;
      avg_execution_time: number | null;
      avg_execution_time_seconds: number | null;
      /**
       * Skipped runs included.
       */
      total_executions: number;
      /**
       * False where the service was reported to be switched off.
       */
      is_enabled: boolean;
      is_paused: boolean;
      paused_at: string | null;
      paused_by: string | null;
      paused_reason: string | null;
      resumed_at: string | null;
      last_error: string | null;
    }[];
  };
  /**
   * State of the shard that runs a vault
   */
  "GET /api/v1/engine/shards/{vault_id}/state": {
    path: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id: string;
    };
    query: {};
    body: undefined;
    answer: {
      vault_id: string;
      strategy_count: number;
      active_intent_count: number;
      /**
       * Seconds; 0 where it is not known.
       */
      tick_interval: number;
      tick_interval_seconds: number;
      fields: {
        [k: string]: unknown;
      };
      strategies: {
        [k: string]: unknown;
      }[];
      allocations: {
        [k: string]: unknown;
      }[];
      emergency_locks: {
        strategy_id: string;
        /**
         * Address, EIP-55 checksummed.
         */
        target_address: string;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        started_at: string;
        reason: string;
      }[];
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      reported_at: string;
      /**
       * The report is older than three ticks, or than 90 s where the tick is 0.
       */
      is_stale: boolean;
    };
  };
  /**
   * Readiness of a vault's session key
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/session-key": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: string;
    };
    query: {};
    body: undefined;
    answer: {
      vault_id: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      is_ready: boolean | null;
      key_address: string | null;
      expires_at: string | null;
      is_expired: boolean | null;
      pending_rotation: boolean | null;
      reason: string | null;
      reported_at: string | null;
    };
  };
  /**
   * Merkle jobs of a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/merkle": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: string;
    };
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: {
      vault_id: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      onchain: {
        root: string;
        proposed_root: string | null;
        effective_at: string | null;
        is_vetoed: boolean;
      } | null;
      jobs: {
        job_id: string;
        kind: "generate" | "publish";
        status: "running" | "success" | "failed";
        root: string | null;
        onchain: ("current" | "proposed" | "none") | null;
        error: string | null;
        actor_wallet: string | null;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        started_at: string;
        finished_at: string | null;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        reported_at: string;
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * Intents of the caller's vaults
   */
  "GET /api/v1/intents": {
    path: {};
    query: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id?: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: string;
      strategy_id?: string;
      action?: string;
      state?:
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
      /**
       * Transaction hash: `0x` and 64 hexadecimal digits.
       */
      tx_hash?: string;
      error_code?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      created_from?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      created_to?: string;
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
      /**
       * A `next_cursor`; not together with `offset`.
       */
      cursor?: string;
    };
    body: undefined;
    answer: {
      intents: {
        intent_id: string;
        execution_id: string | null;
        correlation_id: string | null;
        strategy_id: string | null;
        action: string | null;
        error_code: string | null;
        error_message: string | null;
        total_amount_in: string | null;
        total_amount_out: string | null;
        gas_used_total: string | null;
        vault_id: string;
        /**
         * Chain identifier (EIP-155).
         */
        chain_id: number;
        /**
         * Address, EIP-55 checksummed.
         */
        vault_address: string;
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
        /**
         * Fills reported, whatever the chain says of them.
         */
        fills_count: number;
        last_event_seq: number;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        created_at: string;
        acked_at: string | null;
        executing_at: string | null;
        completed_at: string | null;
        terminal_at: string | null;
      }[];
      total: number;
      has_more: boolean;
      next_cursor: string | null;
    };
  };
  /**
   * How many intents there are of each kind
   */
  "GET /api/v1/intents/facets": {
    path: {};
    query: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id?: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: string;
      strategy_id?: string;
      action?: string;
      state?:
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
      /**
       * Transaction hash: `0x` and 64 hexadecimal digits.
       */
      tx_hash?: string;
      error_code?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      created_from?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      created_to?: string;
    };
    body: undefined;
    answer: {
      total: number;
      state: {
        value:
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
        count: number;
      }[];
      action: {
        value: string | null;
        count: number;
      }[];
      chain: {
        /**
         * Chain identifier (EIP-155).
         */
        value: number;
        count: number;
      }[];
      vault: {
        value: string;
        count: number;
      }[];
      strategy: {
        value: string | null;
        count: number;
      }[];
    };
  };
  /**
   * An intent
   */
  "GET /api/v1/intents/{intent_id}": {
    path: {
      intent_id: string;
    };
    query: {};
    body: undefined;
    answer: {
      intent_id: string;
      execution_id: string | null;
      correlation_id: string | null;
      strategy_id: string | null;
      action: string | null;
      error_code: string | null;
      error_message: string | null;
      total_amount_in: string | null;
      total_amount_out: string | null;
      gas_used_total: string | null;
      vault_id: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
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
      /**
       * Fills reported, whatever the chain says of them.
       */
      fills_count: number;
      last_event_seq: number;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      acked_at: string | null;
      executing_at: string | null;
      completed_at: string | null;
      terminal_at: string | null;
    };
  };
  /**
   * Events of an intent
   */
  "GET /api/v1/intents/{intent_id}/events": {
    path: {
      intent_id: string;
    };
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: {
      events: {
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
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        time: string;
        execution_id: string | null;
        correlation_id: string | null;
        strategy_id: string | null;
        action: string | null;
        error_code: string | null;
        error_message: string | null;
        total_amount_in: string | null;
        total_amount_out: string | null;
        gas_used_total: string | null;
        tx_hash: string | null;
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * Fills of an intent
   */
  "GET /api/v1/intents/{intent_id}/fills": {
    path: {
      intent_id: string;
    };
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: {
      fills: {
        fill_id: string;
        intent_id: string;
        /**
         * Chain identifier (EIP-155).
         */
        chain_id: number;
        tx_hash: string;
        /**
         * Address, EIP-55 checksummed.
         */
        token_in: string;
        /**
         * Address, EIP-55 checksummed.
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
        gas_used: string | null;
        venue: string | null;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        fill_time: string;
        onchain: "confirmed" | "pending" | "missing" | "reorganised";
        block_number: number | null;
        is_reverted: boolean | null;
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * Executed redemptions of the caller's vaults
   */
  "GET /api/v1/fulfill-redeems/executions": {
    path: {};
    query: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: string;
      status?: "pending" | "success" | "failed" | "skipped";
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
      /**
       * From 1; not together with `offset`.
       */
      page?: number;
    };
    body: undefined;
    answer: {
      executions: {
        /**
         * UUID; never changes, whichever of report and chain came first.
         */
        id: string;
        execution_id: string | null;
        source: "reported" | "onchain" | "both";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        created_at: string;
        status: "pending" | "success" | "failed" | "skipped";
        tx_hash: string | null;
        /**
         * Chain identifier (EIP-155).
         */
        chain_id: number;
        /**
         * Address, EIP-55 checksummed.
         */
        vault_address: string;
        controllers_count: number;
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        total_shares_fulfilled: string;
        total_assets_out: string | null;
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        pps_at_fulfillment: string;
        block_number: number | null;
        is_confirmed: boolean | null;
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * Executed redemptions of the caller's vaults
   */
  "GET /fulfill-redeems/executions": {
    path: {};
    query: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: string;
      status?: "pending" | "success" | "failed" | "skipped";
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
      /**
       * From 1; not together with `offset`.
       */
      page?: number;
    };
    body: undefined;
    answer: {
      executions: {
        /**
         * UUID; never changes, whichever of report and chain came first.
         */
        id: string;
        execution_id: string | null;
        source: "reported" | "onchain" | "both";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        created_at: string;
        status: "pending" | "success" | "failed" | "skipped";
        tx_hash: string | null;
        /**
         * Chain identifier (EIP-155).
         */
        chain_id: number;
        /**
         * Address, EIP-55 checksummed.
         */
        vault_address: string;
        controllers_count: number;
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        total_shares_fulfilled: string;
        total_assets_out: string | null;
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        pps_at_fulfillment: string;
        block_number: number | null;
        is_confirmed: boolean | null;
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * Redemptions of a vault that wait
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/redeems": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: string;
    };
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: {
      redeems: {
        /**
         * Address, EIP-55 checksummed.
         */
        controller: string;
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        pending_shares: string;
        pending_assets_estimate: string | null;
        requested_at: string | null;
        age_seconds: number | null;
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        claimable_shares: string;
        /**
         * Onchain integer in raw units, as a decimal string.
         */
        claimable_assets: string;
      }[];
      total: number;
      has_more: boolean;
      /**
       * Onchain integer in raw units, as a decimal string.
       */
      total_pending_shares: string;
      /**
       * Onchain integer in raw units, as a decimal string.
       */
      total_claimable_assets: string;
      as_of: {
        block_number: number;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        block_timestamp: string;
      } | null;
    };
  };
  /**
   * Your webhook endpoints
   */
  "GET /api/v1/webhooks": {
    path: {};
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: {
      webhooks: {
        id: string;
        url: string;
        event_types: (
          | "pps.stale"
          | "pps.updated"
          | "vault.paused"
          | "vault.unpaused"
          | "service.degraded"
          | "service.late"
          | "service.down"
          | "merkle.synced"
          | "yield_source.added"
          | "yield_source.removed"
          | "redemption.fulfilled"
          | "deposit.fulfilled"
          | "alert.firing"
          | "alert.resolved"
          | "emergency_exit.armed"
          | "emergency_exit.stopped"
          | "webhook.test"
        )[];
        /**
         * All types are delivered, those added later included.
         */
        is_all_event_types: boolean;
        /**
         * Vault ids. Of a vault that you no longer manage nothing is delivered.
         */
        vaults: string[];
        /**
         * Every vault that you manage and have accepted, those gained later included.
         */
        is_all_vaults: boolean;
        is_enabled: boolean;
        disabled_reason: ("gone" | "failing") | null;
        disabled_at: string | null;
        description: string;
        /**
         * `standard`: up to 5 retries after 1, 2, 4, 8 and 16 s. `extended` goes on after 1 min, 5 min, 30 min, 2 h and 6 h.
         */
        retry_schedule: "standard" | "extended";
        rate_limit: number | null;
        /**
         * Until when each secret that was rotated out still signs.
         *
         * Items: RFC 3339 UTC with six fractional digits.
         */
        old_secrets_valid_until: string[];
        secret_error: string | null;
        last_delivery: {
          status: "pending" | "delivered" | "failed" | "dead" | "canceled";
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          at: string;
          error: string | null;
        } | null;
        /**
         * Address, EIP-55 checksummed.
         */
        created_by: string;
        /**
         * The only chain of whose vaults it gets events, because a contract's signature made it: that counts on its chain alone. Null: every chain.
         */
        limited_to_chain_id: number | null;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        created_at: string;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        updated_at: string;
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * Make a webhook endpoint
   */
  "POST /api/v1/webhooks": {
    path: {};
    query: {};
    body: {
      /**
       * Where events are posted: https, at a public address.
       */
      url: string;
      /**
       * Types that are delivered; null: all, those added later included.
       *
       * @minItems 1
       */
      event_types?:
        | (
            | "pps.stale"
            | "pps.updated"
            | "vault.paused"
            | "vault.unpaused"
            | "service.degraded"
            | "service.late"
            | "service.down"
            | "merkle.synced"
            | "yield_source.added"
            | "yield_source.removed"
            | "redemption.fulfilled"
            | "deposit.fulfilled"
            | "alert.firing"
            | "alert.resolved"
            | "emergency_exit.armed"
            | "emergency_exit.stopped"
            | "webhook.test"
          )[]
        | null;
      /**
       * Vaults whose events are delivered; null: every vault that you manage at the time.
       *
       * @minItems 1
       * @maxItems 1000
       */
      vaults?: string[] | null;
      is_enabled?: boolean;
      description?: string;
      /**
       * `standard`: up to 5 retries after 1, 2, 4, 8 and 16 s. `extended` goes on after 1 min, 5 min, 30 min, 2 h and 6 h.
       */
      retry_schedule?: "standard" | "extended";
      /**
       * Sends a second at most; null: no limit.
       */
      rate_limit?: number | null;
    };
    answer: {
      id: string;
      url: string;
      event_types: (
        | "pps.stale"
        | "pps.updated"
        | "vault.paused"
        | "vault.unpaused"
        | "service.degraded"
        | "service.late"
        | "service.down"
        | "merkle.synced"
        | "yield_source.added"
        | "yield_source.removed"
        | "redemption.fulfilled"
        | "deposit.fulfilled"
        | "alert.firing"
        | "alert.resolved"
        | "emergency_exit.armed"
        | "emergency_exit.stopped"
        | "webhook.test"
      )[];
      /**
       * All types are delivered, those added later included.
       */
      is_all_event_types: boolean;
      /**
       * Vault ids. Of a vault that you no longer manage nothing is delivered.
       */
      vaults: string[];
      /**
       * Every vault that you manage and have accepted, those gained later included.
       */
      is_all_vaults: boolean;
      is_enabled: boolean;
      disabled_reason: ("gone" | "failing") | null;
      disabled_at: string | null;
      description: string;
      /**
       * `standard`: up to 5 retries after 1, 2, 4, 8 and 16 s. `extended` goes on after 1 min, 5 min, 30 min, 2 h and 6 h.
       */
      retry_schedule: "standard" | "extended";
      rate_limit: number | null;
      /**
       * Until when each secret that was rotated out still signs.
       *
       * Items: RFC 3339 UTC with six fractional digits.
       */
      old_secrets_valid_until: string[];
      secret_error: string | null;
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * The only chain of whose vaults it gets events, because a contract's signature made it: that counts on its chain alone. Null: every chain.
       */
      limited_to_chain_id: number | null;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
      /**
       * Verifies deliveries (Standard Webhooks). Shown this once.
       */
      secret: string;
    };
  };
  /**
   * A webhook endpoint
   */
  "GET /api/v1/webhooks/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      id: string;
      url: string;
      event_types: (
        | "pps.stale"
        | "pps.updated"
        | "vault.paused"
        | "vault.unpaused"
        | "service.degraded"
        | "service.late"
        | "service.down"
        | "merkle.synced"
        | "yield_source.added"
        | "yield_source.removed"
        | "redemption.fulfilled"
        | "deposit.fulfilled"
        | "alert.firing"
        | "alert.resolved"
        | "emergency_exit.armed"
        | "emergency_exit.stopped"
        | "webhook.test"
      )[];
      /**
       * All types are delivered, those added later included.
       */
      is_all_event_types: boolean;
      /**
       * Vault ids. Of a vault that you no longer manage nothing is delivered.
       */
      vaults: string[];
      /**
       * Every vault that you manage and have accepted, those gained later included.
       */
      is_all_vaults: boolean;
      is_enabled: boolean;
      disabled_reason: ("gone" | "failing") | null;
      disabled_at: string | null;
      description: string;
      /**
       * `standard`: up to 5 retries after 1, 2, 4, 8 and 16 s. `extended` goes on after 1 min, 5 min, 30 min, 2 h and 6 h.
       */
      retry_schedule: "standard" | "extended";
      rate_limit: number | null;
      /**
       * Until when each secret that was rotated out still signs.
       *
       * Items: RFC 3339 UTC with six fractional digits.
       */
      old_secrets_valid_until: string[];
      secret_error: string | null;
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * The only chain of whose vaults it gets events, because a contract's signature made it: that counts on its chain alone. Null: every chain.
       */
      limited_to_chain_id: number | null;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
    };
  };
  /**
   * Change a webhook endpoint
   */
  "PATCH /api/v1/webhooks/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: {
      /**
       * Where events are posted: https, at a public address.
       */
      url?: string;
      /**
       * Types that are delivered; null: all, those added later included.
       *
       * @minItems 1
       */
      event_types?:
        | (
            | "pps.stale"
            | "pps.updated"
            | "vault.paused"
            | "vault.unpaused"
            | "service.degraded"
            | "service.late"
            | "service.down"
            | "merkle.synced"
            | "yield_source.added"
            | "yield_source.removed"
            | "redemption.fulfilled"
            | "deposit.fulfilled"
            | "alert.firing"
            | "alert.resolved"
            | "emergency_exit.armed"
            | "emergency_exit.stopped"
            | "webhook.test"
          )[]
        | null;
      /**
       * Vaults whose events are delivered; null: every vault that you manage at the time.
       *
       * @minItems 1
       * @maxItems 1000
       */
      vaults?: string[] | null;
      is_enabled?: boolean;
      description?: string;
      /**
       * `standard`: up to 5 retries after 1, 2, 4, 8 and 16 s. `extended` goes on after 1 min, 5 min, 30 min, 2 h and 6 h.
       */
      retry_schedule?: "standard" | "extended";
      /**
       * Sends a second at most; null: no limit.
       */
      rate_limit?: number | null;
    };
    answer: {
      id: string;
      url: string;
      event_types: (
        | "pps.stale"
        | "pps.updated"
        | "vault.paused"
        | "vault.unpaused"
        | "service.degraded"
        | "service.late"
        | "service.down"
        | "merkle.synced"
        | "yield_source.added"
        | "yield_source.removed"
        | "redemption.fulfilled"
        | "deposit.fulfilled"
        | "alert.firing"
        | "alert.resolved"
        | "emergency_exit.armed"
        | "emergency_exit.stopped"
        | "webhook.test"
      )[];
      /**
       * All types are delivered, those added later included.
       */
      is_all_event_types: boolean;
      /**
       * Vault ids. Of a vault that you no longer manage nothing is delivered.
       */
      vaults: string[];
      /**
       * Every vault that you manage and have accepted, those gained later included.
       */
      is_all_vaults: boolean;
      is_enabled: boolean;
      disabled_reason: ("gone" | "failing") | null;
      disabled_at: string | null;
      description: string;
      /**
       * `standard`: up to 5 retries after 1, 2, 4, 8 and 16 s. `extended` goes on after 1 min, 5 min, 30 min, 2 h and 6 h.
       */
      retry_schedule: "standard" | "extended";
      rate_limit: number | null;
      /**
       * Until when each secret that was rotated out still signs.
       *
       * Items: RFC 3339 UTC with six fractional digits.
       */
      old_secrets_valid_until: string[];
      secret_error: string | null;
      last_delivery: {
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        error: string | null;
      } | null;
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * The only chain of whose vaults it gets events, because a contract's signature made it: that counts on its chain alone. Null: every chain.
       */
      limited_to_chain_id: number | null;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      updated_at: string;
    };
  };
  /**
   * Delete a webhook endpoint
   */
  "DELETE /api/v1/webhooks/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Rotate the secret of a webhook endpoint
   */
  "POST /api/v1/webhooks/{id}/rotate-secret": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      /**
       * Verifies deliveries (Standard Webhooks). Shown this once.
       */
      secret: string;
      old_secret_valid_until: string | null;
    };
  };
  /**
   * Deliveries of a webhook endpoint
   */
  "GET /api/v1/webhooks/{id}/deliveries": {
    path: {
      id: string;
    };
    query: {
      status?: "pending" | "delivered" | "failed" | "dead" | "canceled";
      event_type?:
        | "pps.stale"
        | "pps.updated"
        | "vault.paused"
        | "vault.unpaused"
        | "service.degraded"
        | "service.late"
        | "service.down"
        | "merkle.synced"
        | "yield_source.added"
        | "yield_source.removed"
        | "redemption.fulfilled"
        | "deposit.fulfilled"
        | "alert.firing"
        | "alert.resolved"
        | "emergency_exit.armed"
        | "emergency_exit.stopped"
        | "webhook.test";
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: {
      deliveries: {
        id: string;
        /**
         * The `webhook-id` of every attempt and replay.
         */
        event_id: string;
        event_type:
          | "pps.stale"
          | "pps.updated"
          | "vault.paused"
          | "vault.unpaused"
          | "service.degraded"
          | "service.late"
          | "service.down"
          | "merkle.synced"
          | "yield_source.added"
          | "yield_source.removed"
          | "redemption.fulfilled"
          | "deposit.fulfilled"
          | "alert.firing"
          | "alert.resolved"
          | "emergency_exit.armed"
          | "emergency_exit.stopped"
          | "webhook.test";
        /**
         * Chain identifier (EIP-155); 0 for what concerns no vault.
         */
        chain_id: number;
        /**
         * Address, EIP-55 checksummed.
         */
        vault_address: string;
        /**
         * `failed` will be retried; `dead` will not.
         */
        status: "pending" | "delivered" | "failed" | "dead" | "canceled";
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        created_at: string;
        next_attempt_at: string | null;
        /**
         * What every attempt sends.
         */
        request: {
          method: "POST";
          /**
           * Without `webhook-timestamp`, which is the attempt's `at` in Unix seconds, and `webhook-signature`, both made anew for each attempt.
           */
          headers: {
            [k: string]: string;
          };
          /**
           * The bytes that are signed and sent, the same every time, as text.
           */
          body: string;
        };
        attempts: {
          number: number;
          /**
           * RFC 3339 UTC with six fractional digits.
           */
          at: string;
          status_code: number | null;
          error: string | null;
          duration_ms: number | null;
          response_excerpt: string | null;
        }[];
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * Test a webhook endpoint
   */
  "POST /api/v1/webhooks/{id}/test": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      id: string;
      /**
       * The `webhook-id` of every attempt and replay.
       */
      event_id: string;
      event_type:
        | "pps.stale"
        | "pps.updated"
        | "vault.paused"
        | "vault.unpaused"
        | "service.degraded"
        | "service.late"
        | "service.down"
        | "merkle.synced"
        | "yield_source.added"
        | "yield_source.removed"
        | "redemption.fulfilled"
        | "deposit.fulfilled"
        | "alert.firing"
        | "alert.resolved"
        | "emergency_exit.armed"
        | "emergency_exit.stopped"
        | "webhook.test";
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * `failed` will be retried; `dead` will not.
       */
      status: "pending" | "delivered" | "failed" | "dead" | "canceled";
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      next_attempt_at: string | null;
      /**
       * What every attempt sends.
       */
      request: {
        method: "POST";
        /**
         * Without `webhook-timestamp`, which is the attempt's `at` in Unix seconds, and `webhook-signature`, both made anew for each attempt.
         */
        headers: {
          [k: string]: string;
        };
        /**
         * The bytes that are signed and sent, the same every time, as text.
         */
        body: string;
      };
      attempts: {
        number: number;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        status_code: number | null;
        error: string | null;
        duration_ms: number | null;
        response_excerpt: string | null;
      }[];
    };
  };
  /**
   * Replay deliveries of a webhook endpoint
   */
  "POST /api/v1/webhooks/{id}/replay": {
    path: {
      id: string;
    };
    query: {};
    body: {
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to: string;
      /**
       * Of which deliveries; `dead` by default.
       */
      status?: "delivered" | "dead" | "canceled";
    };
    answer: {
      replayed: number;
      /**
       * More match; ask again from where this ended.
       */
      has_more: boolean;
      /**
       * `from` of the next request; null where nothing is left.
       */
      next_from: string | null;
    };
  };
  /**
   * Replay a delivery
   */
  "POST /api/v1/webhook-deliveries/{id}/replay": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      id: string;
      /**
       * The `webhook-id` of every attempt and replay.
       */
      event_id: string;
      event_type:
        | "pps.stale"
        | "pps.updated"
        | "vault.paused"
        | "vault.unpaused"
        | "service.degraded"
        | "service.late"
        | "service.down"
        | "merkle.synced"
        | "yield_source.added"
        | "yield_source.removed"
        | "redemption.fulfilled"
        | "deposit.fulfilled"
        | "alert.firing"
        | "alert.resolved"
        | "emergency_exit.armed"
        | "emergency_exit.stopped"
        | "webhook.test";
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * `failed` will be retried; `dead` will not.
       */
      status: "pending" | "delivered" | "failed" | "dead" | "canceled";
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      next_attempt_at: string | null;
      /**
       * What every attempt sends.
       */
      request: {
        method: "POST";
        /**
         * Without `webhook-timestamp`, which is the attempt's `at` in Unix seconds, and `webhook-signature`, both made anew for each attempt.
         */
        headers: {
          [k: string]: string;
        };
        /**
         * The bytes that are signed and sent, the same every time, as text.
         */
        body: string;
      };
      attempts: {
        number: number;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        at: string;
        status_code: number | null;
        error: string | null;
        duration_ms: number | null;
        response_excerpt: string | null;
      }[];
    };
  };
  /**
   * Audit log
   */
  "GET /api/v1/audit/logs": {
    path: {};
    query: {
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: string;
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id?: number;
      /**
       * Several: repeated or comma-separated.
       *
       * @minItems 1
       * @maxItems 100
       */
      action_type?: (
        | "vault_create"
        | "yield_source_add"
        | "yield_source_remove"
        | "yield_source_oracle_update"
        | "hook_execute"
        | "pps_update"
        | "pps_update_reject"
        | "pps_stale"
        | "pps_stale_reset"
        | "vault_pause"
        | "vault_unpause"
        | "secondary_manager_add"
        | "secondary_manager_remove"
        | "primary_manager_change_propose"
        | "primary_manager_change_cancel"
        | "primary_manager_change"
        | "role_grant"
        | "role_revoke"
        | "merkle_root_propose"
        | "merkle_root_update"
        | "merkle_root_veto"
        | "merkle_leaves_update"
        | "merkle_generate"
        | "merkle_publish"
        | "fee_config_propose"
        | "fee_config_update"
        | "fee_recipient_change"
        | "fee_skim"
        | "high_water_mark_reset"
        | "pps_params_update"
        | "parameter_change"
        | "upkeep_deposit"
        | "upkeep_withdraw_propose"
        | "upkeep_withdraw_cancel"
        | "upkeep_withdraw"
        | "upkeep_insufficient"
        | "upkeep_claim"
        | "deposit"
        | "withdraw"
        | "emergency_withdraw"
        | "deposit_request"
        | "deposit_fulfill"
        | "deposit_cancel_request"
        | "deposit_cancel"
        | "redeem_request"
        | "redeem_fulfill"
        | "redeem_cancel_request"
        | "redeem_cancel_fulfill"
        | "redeem_cancel"
        | "service_pause"
        | "service_resume"
        | "session_key_grant"
        | "session_key_rotate"
        | "session_key_revoke"
        | "emergency_exit_arm"
        | "emergency_exit_stop"
        | "view_only_add"
        | "view_only_remove"
        | "vault_accept"
        | "notification_channel_create"
        | "notification_channel_update"
        | "notification_channel_delete"
        | "notification_channel_bind"
        | "notification_channel_unbind"
        | "webhook_create"
        | "webhook_update"
        | "webhook_delete"
        | "webhook_secret_rotate"
        | "alert_rule_update"
        | "alert_acknowledge"
        | "alert_silence"
        | "chain_reorg_revert"
      )[];
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      actor_wallet?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: string;
      /**
       * What from_timestamp, to_timestamp and the order go by: the entry's `timestamp` (default), or its block's time (`recorded_at` where there is no block).
       */
      time_field?: "timestamp" | "block";
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Entries skipped, in the order of the list; default 0. Not with a cursor.
       */
      offset?: number;
      /**
       * Default desc, the newest first. Not with a cursor.
       */
      order?: "asc" | "desc";
      /**
       * Walks forward in the order of `seq`: `start`, `now`, or a `next_cursor`. Never skips or repeats an entry, and never ends.
       */
      cursor?: string;
    };
    body: undefined;
    answer: {
      logs: ((
        | {
            action_type: "vault_create";
            /**
             * A vault was made.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              strategy: string;
              /**
               * Address, EIP-55 checksummed.
               */
              escrow: string;
              /**
               * Address, EIP-55 checksummed.
               */
              asset: string;
              name: string;
              symbol: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              nonce: string;
              /**
               * Address, EIP-55 checksummed.
               */
              primary_manager: string;
              /**
               * Those that its making named.
               *
               * Items: Address, EIP-55 checksummed.
               */
              secondary_managers: string[];
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "yield_source_add";
            /**
             * A yield source was whitelisted.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              yield_source: string;
              /**
               * Address, EIP-55 checksummed.
               */
              oracle: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "yield_source_remove";
            /**
             * A yield source was removed.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              yield_source: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "yield_source_oracle_update";
            /**
             * Another oracle prices a yield source.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              yield_source: string;
              /**
               * Address, EIP-55 checksummed.
               */
              old_oracle: string;
              /**
               * Address, EIP-55 checksummed.
               */
              oracle: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "hook_execute";
            /**
             * The manager had the strategy call a hook: assets were moved to, from or within a yield source.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              hook: string;
              prev_hook: string | null;
              /**
               * Address, EIP-55 checksummed.
               */
              yield_source: string;
              /**
               * Its amount is what the hook before it left.
               */
              use_prev_hook_amount: boolean;
              /**
               * Bytes in hex.
               */
              calldata: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "pps_update";
            /**
             * The price per share was updated.
             */
            details: {
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              pps: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              old_pps?: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              pps_timestamp: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "pps_update_reject";
            /**
             * An update of the price was refused, by the aggregator or before it by the oracle.
             */
            details: {
              /**
               * The name of the event that told of it.
               */
              reason: string;
              message: string | null;
              pps_timestamp: string | null;
              pps?: string | null;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "pps_stale";
            /**
             * The contract flagged the price as stale.
             */
            details: {
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "pps_stale_reset";
            /**
             * The contract took that flag away.
             */
            details: {
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "vault_pause";
            /**
             * The vault was paused.
             */
            details: {
              account: string | null;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "vault_unpause";
            /**
             * The vault was unpaused.
             */
            details: {
              account: string | null;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "secondary_manager_add";
            /**
             * A secondary manager was added.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              manager: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "secondary_manager_remove";
            /**
             * A secondary manager was removed.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              manager: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "primary_manager_change_propose";
            /**
             * Another primary manager was proposed.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              proposer: string;
              /**
               * Address, EIP-55 checksummed.
               */
              new_manager: string;
              fee_recipient: string | null;
              effective_at: string | null;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "primary_manager_change_cancel";
            /**
             * That proposal was cancelled.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              cancelled_manager: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "primary_manager_change";
            /**
             * The primary manager changed.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              old_manager: string;
              /**
               * Address, EIP-55 checksummed.
               */
              new_manager: string;
              fee_recipient: string | null;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "role_grant";
            /**
             * A contract gave a role.
             */
            details: {
              /**
               * 32 bytes in hex.
               */
              role: string;
              /**
               * Address, EIP-55 checksummed.
               */
              account: string;
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "role_revoke";
            /**
             * A contract took a role away.
             */
            details: {
              /**
               * 32 bytes in hex.
               */
              role: string;
              /**
               * Address, EIP-55 checksummed.
               */
              account: string;
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "merkle_root_propose";
            /**
             * A root of the hooks that may be called was proposed.
             */
            details: {
              /**
               * `global`: the root of the aggregator, which every vault falls back on.
               */
              scope?: "strategy" | "global";
              proposer: string | null;
              /**
               * 32 bytes in hex.
               */
              root: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              effective_at: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "merkle_root_update";
            /**
             * A proposed root came into force.
             */
            details: {
              /**
               * `global`: the root of the aggregator, which every vault falls back on.
               */
              scope?: "strategy" | "global";
              /**
               * 32 bytes in hex.
               */
              old_root: string;
              /**
               * 32 bytes in hex.
               */
              root: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "merkle_root_veto";
            /**
             * A root was vetoed, or a veto was lifted: `is_vetoed` tells which.
             */
            details: {
              /**
               * `global`: the root of the aggregator, which every vault falls back on.
               */
              scope?: "strategy" | "global";
              /**
               * false: the veto was lifted.
               */
              is_vetoed: boolean;
              /**
               * 32 bytes in hex.
               */
              root: string;
              guardian: string | null;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "merkle_leaves_update";
            /**
             * The manager banned leaves of the global root for the vault, or allowed them again.
             */
            details: {
              /**
               * Items: 32 bytes in hex.
               */
              leaves: string[];
              /**
               * For each leaf.
               */
              is_banned: boolean[];
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "merkle_generate";
            /**
             * A job that generates a root ended.
             */
            details: {
              source: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              reported_at?: string;
              /**
               * An engine said so.
               */
              reported: true;
              job_id: string;
              status: string;
              root?: string;
              error?: string;
            };
          }
        | {
            action_type: "merkle_publish";
            /**
             * A job that publishes a root ended.
             */
            details: {
              source: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              reported_at?: string;
              /**
               * An engine said so.
               */
              reported: true;
              job_id: string;
              status: string;
              root?: string;
              error?: string;
            };
          }
        | {
            action_type: "fee_config_propose";
            /**
             * Other fees were proposed.
             */
            details: {
              /**
               * Basis points, as a decimal string.
               */
              performance_fee_bps: string;
              /**
               * Basis points, as a decimal string.
               */
              management_fee_bps: string;
              /**
               * Address, EIP-55 checksummed.
               */
              recipient: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              effective_at: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "fee_config_update";
            /**
             * Other fees came into force.
             */
            details: {
              /**
               * Basis points, as a decimal string.
               */
              performance_fee_bps: string;
              /**
               * Basis points, as a decimal string.
               */
              management_fee_bps: string;
              /**
               * Address, EIP-55 checksummed.
               */
              recipient: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "fee_recipient_change";
            /**
             * Fees go to another recipient.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              recipient: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "fee_skim";
            /**
             * The performance fee was taken.
             */
            details: {
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              fee_amount: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              old_pps: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              pps: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "high_water_mark_reset";
            /**
             * The mark above which performance fees are taken was set anew.
             */
            details: {
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              hwm_pps: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "pps_params_update";
            /**
             * How a price is judged; `parameter` tells what changed.
             */
            details:
              | {
                  parameter: "pps_expiration_proposed";
                  current_pps_expiration_seconds: string | null;
                  replaced_pps_expiration_seconds?: string | null;
                  /**
                   * Seconds, as a decimal string.
                   */
                  pps_expiration_seconds: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  effective_at: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                }
              | {
                  parameter: "pps_expiration_cancelled";
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                }
              | {
                  parameter: "pps_expiration";
                  /**
                   * Seconds, as a decimal string.
                   */
                  pps_expiration_seconds: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                }
              | {
                  parameter: "deviation_threshold";
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  deviation_threshold: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                }
              | {
                  parameter: "min_update_interval_proposed";
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  proposer: string;
                  /**
                   * Seconds, as a decimal string.
                   */
                  min_update_interval_seconds: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  effective_at: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                }
              | {
                  parameter: "min_update_interval_cancelled";
                  /**
                   * Seconds, as a decimal string.
                   */
                  min_update_interval_seconds: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                }
              | {
                  parameter: "min_update_interval_rejected";
                  /**
                   * Seconds, as a decimal string.
                   */
                  min_update_interval_seconds: string;
                  /**
                   * Seconds, as a decimal string.
                   */
                  max_staleness_seconds: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                }
              | {
                  parameter: "min_update_interval";
                  /**
                   * Seconds, as a decimal string.
                   */
                  old_min_update_interval_seconds: string;
                  /**
                   * Seconds, as a decimal string.
                   */
                  min_update_interval_seconds: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
          }
        | {
            action_type: "parameter_change";
            /**
             * An operation of a contract that stands above the vaults, or of an older version, that has no word of its own.
             */
            details: {
              contract: "aggregator" | "strategy" | "vault" | "escrow" | "oracle" | "governor";
              /**
               * The event's name.
               */
              event: string;
              /**
               * As the contract emitted them: integers as decimal strings, times in Unix seconds.
               */
              arguments: {
                [k: string]: unknown;
              };
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "upkeep_deposit";
            /**
             * Upkeep was paid in.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              depositor: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              amount: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "upkeep_withdraw_propose";
            /**
             * Taking upkeep out was proposed.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              proposer: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              amount: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              effective_at: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "upkeep_withdraw_cancel";
            /**
             * That proposal was cancelled.
             */
            details: {
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "upkeep_withdraw";
            /**
             * Upkeep was taken out. Who carried it out is the actor; anybody may.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              recipient?: string;
              /**
               * The same as `recipient`, by its older name.
               */
              withdrawer: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              amount: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "upkeep_insufficient";
            /**
             * Upkeep did not pay for an update.
             */
            details: {
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              balance: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              cost: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "upkeep_claim";
            /**
             * Spent upkeep was paid out to the protocol.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              super_bank: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              amount: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "deposit";
            /**
             * Assets came in and shares were made for them.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              /**
               * Address, EIP-55 checksummed.
               */
              owner: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              assets: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              shares: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "withdraw";
            /**
             * Assets went out for shares.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              /**
               * Address, EIP-55 checksummed.
               */
              owner: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              assets: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              shares: string;
              /**
               * Address, EIP-55 checksummed.
               */
              receiver: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "emergency_withdraw";
            /**
             * Assets were taken out of the strategy in an emergency.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              recipient: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              assets: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "deposit_request";
            /**
             * A deposit was asked for.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              controller: string;
              /**
               * Address, EIP-55 checksummed.
               */
              owner: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              request_id: string;
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              assets: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "deposit_fulfill";
            /**
             * A deposit that was asked for can be claimed.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              controller: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              request_id: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              assets: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              shares: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "deposit_cancel_request";
            /**
             * Cancelling a deposit was asked for.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              controller: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              request_id: string;
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "deposit_cancel";
            /**
             * The assets of a cancelled deposit were taken back.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              receiver: string;
              /**
               * Address, EIP-55 checksummed.
               */
              controller: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              request_id: string;
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              assets: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "redeem_request";
            /**
             * A redemption was asked for.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              controller: string;
              /**
               * Address, EIP-55 checksummed.
               */
              owner: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              request_id: string;
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              shares: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "redeem_fulfill";
            /**
             * Redemptions were fulfilled.
             */
            details: {
              /**
               * Items: Address, EIP-55 checksummed.
               */
              controllers: string[];
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              processed_shares: string;
              pps: string | null;
              /**
               * Of one request (ERC-7540).
               */
              assets?: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              request_id?: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "redeem_cancel_request";
            /**
             * Cancelling a redemption was asked for.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              controller: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              request_id: string;
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "redeem_cancel_fulfill";
            /**
             * Such a cancellation was fulfilled: the shares can be taken back.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              controller: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              shares: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "redeem_cancel";
            /**
             * The shares of a cancelled redemption were taken back.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              receiver: string;
              /**
               * Address, EIP-55 checksummed.
               */
              controller: string;
              /**
               * Onchain integer in raw units, as a decimal string.
               */
              request_id: string;
              /**
               * Address, EIP-55 checksummed.
               */
              sender: string;
              shares: string | null;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
        | {
            action_type: "service_pause";
            /**
             * A service of the engine was paused.
             */
            details: {
              source: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              reported_at?: string;
              /**
               * An engine said so.
               */
              reported: true;
              service: string;
              reason?: string;
            };
          }
        | {
            action_type: "service_resume";
            /**
             * A service of the engine goes on.
             */
            details: {
              source: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              reported_at?: string;
              /**
               * An engine said so.
               */
              reported: true;
              service: string;
              reason?: string;
            };
          }
        | {
            action_type: "session_key_grant";
            /**
             * A session key was granted.
             */
            details: {
              source: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              reported_at?: string;
              /**
               * An engine said so.
               */
              reported: true;
              /**
               * What the engine sent as `details`.
               */
              reported_details?: {
                [k: string]: unknown;
              };
            };
          }
        | {
            action_type: "session_key_rotate";
            /**
             * A session key was replaced.
             */
            details: {
              source: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              reported_at?: string;
              /**
               * An engine said so.
               */
              reported: true;
              /**
               * What the engine sent as `details`.
               */
              reported_details?: {
                [k: string]: unknown;
              };
            };
          }
        | {
            action_type: "session_key_revoke";
            /**
             * A session key was revoked.
             */
            details: {
              source: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              reported_at?: string;
              /**
               * An engine said so.
               */
              reported: true;
              /**
               * What the engine sent as `details`.
               */
              reported_details?: {
                [k: string]: unknown;
              };
            };
          }
        | {
            action_type: "emergency_exit_arm";
            /**
             * The emergency exit was armed.
             */
            details: {
              source: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              reported_at?: string;
              /**
               * An engine said so.
               */
              reported: true;
              /**
               * What the engine sent as `details`.
               */
              reported_details?: {
                [k: string]: unknown;
              };
            };
          }
        | {
            action_type: "emergency_exit_stop";
            /**
             * The emergency exit was stopped.
             */
            details: {
              source: string;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              reported_at?: string;
              /**
               * An engine said so.
               */
              reported: true;
              /**
               * What the engine sent as `details`.
               */
              reported_details?: {
                [k: string]: unknown;
              };
            };
          }
        | {
            action_type: "view_only_add";
            /**
             * A wallet may see the vault.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              wallet: string;
            };
          }
        | {
            action_type: "view_only_remove";
            /**
             * A wallet may see it no longer.
             */
            details: {
              /**
               * Address, EIP-55 checksummed.
               */
              wallet: string;
            };
          }
        | {
            action_type: "vault_accept";
            /**
             * A wallet took up a vault that names it, or put it aside.
             */
            details: {
              is_accepted: boolean;
            };
          }
        | {
            action_type: "notification_channel_create";
            /**
             * A channel was made.
             */
            details: {
              channel_id: string;
              provider: string;
              name: string;
            };
          }
        | {
            action_type: "notification_channel_update";
            /**
             * A channel was changed.
             */
            details: {
              channel_id: string;
              changed: string[];
              /**
               * Why the service changed it by itself; the actor is then the zero address.
               */
              reason?: string;
            };
          }
        | {
            action_type: "notification_channel_delete";
            /**
             * A channel was removed.
             */
            details: {
              channel_id: string;
              provider: string;
              name: string;
            };
          }
        | {
            action_type: "notification_channel_bind";
            /**
             * A vault's alerts go to a channel.
             */
            details: {
              channel_id: string;
              categories: string[];
              min_severity: string;
            };
          }
        | {
            action_type: "notification_channel_unbind";
            /**
             * They go there no longer.
             */
            details: {
              channel_id: string;
            };
          }
        | {
            action_type: "webhook_create";
            /**
             * A webhook endpoint was made.
             */
            details: {
              webhook_id: string;
              event_types: string[];
              vaults: string[];
            };
          }
        | {
            action_type: "webhook_update";
            /**
             * A webhook endpoint was changed.
             */
            details: {
              webhook_id: string;
              changed: string[];
              /**
               * Why the service disabled it by itself; the actor is then the zero address.
               */
              reason?: string;
            };
          }
        | {
            action_type: "webhook_delete";
            /**
             * A webhook endpoint was removed.
             */
            details: {
              webhook_id: string;
            };
          }
        | {
            action_type: "webhook_secret_rotate";
            /**
             * A webhook endpoint got another secret.
             */
            details: {
              webhook_id: string;
            };
          }
        | {
            action_type: "alert_rule_update";
            /**
             * Rules of alerts were changed; their names and values.
             */
            details: {
              [k: string]: unknown;
            };
          }
        | {
            action_type: "alert_acknowledge";
            /**
             * Somebody looks after an alert.
             */
            details: {
              alert_id: string;
              category: string;
            };
          }
        | {
            action_type: "alert_silence";
            /**
             * Alerts were silenced, or such a silence ended.
             */
            details: {
              silence_id: string;
              category: string | null;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              ends_at: string;
              reason: string;
              ended?: true;
            };
          }
        | {
            action_type: "chain_reorg_revert";
            /**
             * A reorganisation undid an entry. Its place in the chain is the one that the operation had.
             */
            details: {
              reverted_id: string;
              reverted_seq: string;
              reverted_action_type: string;
              block_number: number;
              /**
               * RFC 3339 UTC with six fractional digits.
               */
              block_timestamp: string;
              /**
               * 32 bytes in hex.
               */
              block_hash: string;
              /**
               * 32 bytes in hex.
               */
              tx_hash: string;
              log_index: number;
              /**
               * Who sent the transaction. Not in entries that release 0.1 wrote.
               */
              tx_from?: string;
            };
          }
      ) & {
        id: string;
        /**
         * 1, 2, 3, … in the order in which entries were written, as a string.
         */
        seq: string;
        /**
         * The entry's place in time: when it was recorded, or, for blocks older than the moment at which the vault or chain was first configured, the block's time.
         */
        timestamp: string;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        recorded_at: string;
        action_type:
          | "vault_create"
          | "yield_source_add"
          | "yield_source_remove"
          | "yield_source_oracle_update"
          | "hook_execute"
          | "pps_update"
          | "pps_update_reject"
          | "pps_stale"
          | "pps_stale_reset"
          | "vault_pause"
          | "vault_unpause"
          | "secondary_manager_add"
          | "secondary_manager_remove"
          | "primary_manager_change_propose"
          | "primary_manager_change_cancel"
          | "primary_manager_change"
          | "role_grant"
          | "role_revoke"
          | "merkle_root_propose"
          | "merkle_root_update"
          | "merkle_root_veto"
          | "merkle_leaves_update"
          | "merkle_generate"
          | "merkle_publish"
          | "fee_config_propose"
          | "fee_config_update"
          | "fee_recipient_change"
          | "fee_skim"
          | "high_water_mark_reset"
          | "pps_params_update"
          | "parameter_change"
          | "upkeep_deposit"
          | "upkeep_withdraw_propose"
          | "upkeep_withdraw_cancel"
          | "upkeep_withdraw"
          | "upkeep_insufficient"
          | "upkeep_claim"
          | "deposit"
          | "withdraw"
          | "emergency_withdraw"
          | "deposit_request"
          | "deposit_fulfill"
          | "deposit_cancel_request"
          | "deposit_cancel"
          | "redeem_request"
          | "redeem_fulfill"
          | "redeem_cancel_request"
          | "redeem_cancel_fulfill"
          | "redeem_cancel"
          | "service_pause"
          | "service_resume"
          | "session_key_grant"
          | "session_key_rotate"
          | "session_key_revoke"
          | "emergency_exit_arm"
          | "emergency_exit_stop"
          | "view_only_add"
          | "view_only_remove"
          | "vault_accept"
          | "notification_channel_create"
          | "notification_channel_update"
          | "notification_channel_delete"
          | "notification_channel_bind"
          | "notification_channel_unbind"
          | "webhook_create"
          | "webhook_update"
          | "webhook_delete"
          | "webhook_secret_rotate"
          | "alert_rule_update"
          | "alert_acknowledge"
          | "alert_silence"
          | "chain_reorg_revert";
        /**
         * Address, EIP-55 checksummed.
         */
        vault_address: string;
        /**
         * 0 for what concerns no vault.
         */
        chain_id: number;
        /**
         * Address, EIP-55 checksummed.
         */
        actor_wallet: string;
        /**
         * By action, see below; further members may come. Of an onchain operation always with block_number, block_timestamp, block_hash, tx_hash and log_index. With `reported: true` an engine said so, and what it sent as details stands in `reported_details`.
         */
        details: {
          [k: string]: unknown;
        };
      })[];
      /**
       * Exact number of entries that the filter means.
       */
      total: number;
      has_more: boolean;
      next_cursor: string | null;
      live_cursor: string | null;
    };
  };
  /**
   * One entry of the audit log
   */
  "GET /api/v1/audit/logs/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: (
      | {
          action_type: "vault_create";
          /**
           * A vault was made.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            strategy: string;
            /**
             * Address, EIP-55 checksummed.
             */
            escrow: string;
            /**
             * Address, EIP-55 checksummed.
             */
            asset: string;
            name: string;
            symbol: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            nonce: string;
            /**
             * Address, EIP-55 checksummed.
             */
            primary_manager: string;
            /**
             * Those that its making named.
             *
             * Items: Address, EIP-55 checksummed.
             */
            secondary_managers: string[];
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "yield_source_add";
          /**
           * A yield source was whitelisted.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            yield_source: string;
            /**
             * Address, EIP-55 checksummed.
             */
            oracle: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "yield_source_remove";
          /**
           * A yield source was removed.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            yield_source: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "yield_source_oracle_update";
          /**
           * Another oracle prices a yield source.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            yield_source: string;
            /**
             * Address, EIP-55 checksummed.
             */
            old_oracle: string;
            /**
             * Address, EIP-55 checksummed.
             */
            oracle: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "hook_execute";
          /**
           * The manager had the strategy call a hook: assets were moved to, from or within a yield source.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            hook: string;
            prev_hook: string | null;
            /**
             * Address, EIP-55 checksummed.
             */
            yield_source: string;
            /**
             * Its amount is what the hook before it left.
             */
            use_prev_hook_amount: boolean;
            /**
             * Bytes in hex.
             */
            calldata: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "pps_update";
          /**
           * The price per share was updated.
           */
          details: {
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            pps: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            old_pps?: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            pps_timestamp: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "pps_update_reject";
          /**
           * An update of the price was refused, by the aggregator or before it by the oracle.
           */
          details: {
            /**
             * The name of the event that told of it.
             */
            reason: string;
            message: string | null;
            pps_timestamp: string | null;
            pps?: string | null;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "pps_stale";
          /**
           * The contract flagged the price as stale.
           */
          details: {
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "pps_stale_reset";
          /**
           * The contract took that flag away.
           */
          details: {
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "vault_pause";
          /**
           * The vault was paused.
           */
          details: {
            account: string | null;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "vault_unpause";
          /**
           * The vault was unpaused.
           */
          details: {
            account: string | null;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "secondary_manager_add";
          /**
           * A secondary manager was added.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            manager: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "secondary_manager_remove";
          /**
           * A secondary manager was removed.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            manager: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "primary_manager_change_propose";
          /**
           * Another primary manager was proposed.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            proposer: string;
            /**
             * Address, EIP-55 checksummed.
             */
            new_manager: string;
            fee_recipient: string | null;
            effective_at: string | null;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "primary_manager_change_cancel";
          /**
           * That proposal was cancelled.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            cancelled_manager: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "primary_manager_change";
          /**
           * The primary manager changed.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            old_manager: string;
            /**
             * Address, EIP-55 checksummed.
             */
            new_manager: string;
            fee_recipient: string | null;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "role_grant";
          /**
           * A contract gave a role.
           */
          details: {
            /**
             * 32 bytes in hex.
             */
            role: string;
            /**
             * Address, EIP-55 checksummed.
             */
            account: string;
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "role_revoke";
          /**
           * A contract took a role away.
           */
          details: {
            /**
             * 32 bytes in hex.
             */
            role: string;
            /**
             * Address, EIP-55 checksummed.
             */
            account: string;
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "merkle_root_propose";
          /**
           * A root of the hooks that may be called was proposed.
           */
          details: {
            /**
             * `global`: the root of the aggregator, which every vault falls back on.
             */
            scope?: "strategy" | "global";
            proposer: string | null;
            /**
             * 32 bytes in hex.
             */
            root: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            effective_at: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "merkle_root_update";
          /**
           * A proposed root came into force.
           */
          details: {
            /**
             * `global`: the root of the aggregator, which every vault falls back on.
             */
            scope?: "strategy" | "global";
            /**
             * 32 bytes in hex.
             */
            old_root: string;
            /**
             * 32 bytes in hex.
             */
            root: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "merkle_root_veto";
          /**
           * A root was vetoed, or a veto was lifted: `is_vetoed` tells which.
           */
          details: {
            /**
             * `global`: the root of the aggregator, which every vault falls back on.
             */
            scope?: "strategy" | "global";
            /**
             * false: the veto was lifted.
             */
            is_vetoed: boolean;
            /**
             * 32 bytes in hex.
             */
            root: string;
            guardian: string | null;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "merkle_leaves_update";
          /**
           * The manager banned leaves of the global root for the vault, or allowed them again.
           */
          details: {
            /**
             * Items: 32 bytes in hex.
             */
            leaves: string[];
            /**
             * For each leaf.
             */
            is_banned: boolean[];
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "merkle_generate";
          /**
           * A job that generates a root ended.
           */
          details: {
            source: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            reported_at?: string;
            /**
             * An engine said so.
             */
            reported: true;
            job_id: string;
            status: string;
            root?: string;
            error?: string;
          };
        }
      | {
          action_type: "merkle_publish";
          /**
           * A job that publishes a root ended.
           */
          details: {
            source: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            reported_at?: string;
            /**
             * An engine said so.
             */
            reported: true;
            job_id: string;
            status: string;
            root?: string;
            error?: string;
          };
        }
      | {
          action_type: "fee_config_propose";
          /**
           * Other fees were proposed.
           */
          details: {
            /**
             * Basis points, as a decimal string.
             */
            performance_fee_bps: string;
            /**
             * Basis points, as a decimal string.
             */
            management_fee_bps: string;
            /**
             * Address, EIP-55 checksummed.
             */
            recipient: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            effective_at: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "fee_config_update";
          /**
           * Other fees came into force.
           */
          details: {
            /**
             * Basis points, as a decimal string.
             */
            performance_fee_bps: string;
            /**
             * Basis points, as a decimal string.
             */
            management_fee_bps: string;
            /**
             * Address, EIP-55 checksummed.
             */
            recipient: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "fee_recipient_change";
          /**
           * Fees go to another recipient.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            recipient: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "fee_skim";
          /**
           * The performance fee was taken.
           */
          details: {
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            fee_amount: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            old_pps: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            pps: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "high_water_mark_reset";
          /**
           * The mark above which performance fees are taken was set anew.
           */
          details: {
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            hwm_pps: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "pps_params_update";
          /**
           * How a price is judged; `parameter` tells what changed.
           */
          details:
            | {
                parameter: "pps_expiration_proposed";
                current_pps_expiration_seconds: string | null;
                replaced_pps_expiration_seconds?: string | null;
                /**
                 * Seconds, as a decimal string.
                 */
                pps_expiration_seconds: string;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                effective_at: string;
                block_number: number;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                block_timestamp: string;
                /**
                 * 32 bytes in hex.
                 */
                block_hash: string;
                /**
                 * 32 bytes in hex.
                 */
                tx_hash: string;
                log_index: number;
                /**
                 * Who sent the transaction. Not in entries that release 0.1 wrote.
                 */
                tx_from?: string;
              }
            | {
                parameter: "pps_expiration_cancelled";
                block_number: number;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                block_timestamp: string;
                /**
                 * 32 bytes in hex.
                 */
                block_hash: string;
                /**
                 * 32 bytes in hex.
                 */
                tx_hash: string;
                log_index: number;
                /**
                 * Who sent the transaction. Not in entries that release 0.1 wrote.
                 */
                tx_from?: string;
              }
            | {
                parameter: "pps_expiration";
                /**
                 * Seconds, as a decimal string.
                 */
                pps_expiration_seconds: string;
                block_number: number;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                block_timestamp: string;
                /**
                 * 32 bytes in hex.
                 */
                block_hash: string;
                /**
                 * 32 bytes in hex.
                 */
                tx_hash: string;
                log_index: number;
                /**
                 * Who sent the transaction. Not in entries that release 0.1 wrote.
                 */
                tx_from?: string;
              }
            | {
                parameter: "deviation_threshold";
                /**
                 * Onchain integer in raw units, as a decimal string.
                 */
                deviation_threshold: string;
                block_number: number;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                block_timestamp: string;
                /**
                 * 32 bytes in hex.
                 */
                block_hash: string;
                /**
                 * 32 bytes in hex.
                 */
                tx_hash: string;
                log_index: number;
                /**
                 * Who sent the transaction. Not in entries that release 0.1 wrote.
                 */
                tx_from?: string;
              }
            | {
                parameter: "min_update_interval_proposed";
                /**
                 * Address, EIP-55 checksummed.
                 */
                proposer: string;
                /**
                 * Seconds, as a decimal string.
                 */
                min_update_interval_seconds: string;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                effective_at: string;
                block_number: number;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                block_timestamp: string;
                /**
                 * 32 bytes in hex.
                 */
                block_hash: string;
                /**
                 * 32 bytes in hex.
                 */
                tx_hash: string;
                log_index: number;
                /**
                 * Who sent the transaction. Not in entries that release 0.1 wrote.
                 */
                tx_from?: string;
              }
            | {
                parameter: "min_update_interval_cancelled";
                /**
                 * Seconds, as a decimal string.
                 */
                min_update_interval_seconds: string;
                block_number: number;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                block_timestamp: string;
                /**
                 * 32 bytes in hex.
                 */
                block_hash: string;
                /**
                 * 32 bytes in hex.
                 */
                tx_hash: string;
                log_index: number;
                /**
                 * Who sent the transaction. Not in entries that release 0.1 wrote.
                 */
                tx_from?: string;
              }
            | {
                parameter: "min_update_interval_rejected";
                /**
                 * Seconds, as a decimal string.
                 */
                min_update_interval_seconds: string;
                /**
                 * Seconds, as a decimal string.
                 */
                max_staleness_seconds: string;
                block_number: number;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                block_timestamp: string;
                /**
                 * 32 bytes in hex.
                 */
                block_hash: string;
                /**
                 * 32 bytes in hex.
                 */
                tx_hash: string;
                log_index: number;
                /**
                 * Who sent the transaction. Not in entries that release 0.1 wrote.
                 */
                tx_from?: string;
              }
            | {
                parameter: "min_update_interval";
                /**
                 * Seconds, as a decimal string.
                 */
                old_min_update_interval_seconds: string;
                /**
                 * Seconds, as a decimal string.
                 */
                min_update_interval_seconds: string;
                block_number: number;
                /**
                 * RFC 3339 UTC with six fractional digits.
                 */
                block_timestamp: string;
                /**
                 * 32 bytes in hex.
                 */
                block_hash: string;
                /**
                 * 32 bytes in hex.
                 */
                tx_hash: string;
                log_index: number;
                /**
                 * Who sent the transaction. Not in entries that release 0.1 wrote.
                 */
                tx_from?: string;
              };
        }
      | {
          action_type: "parameter_change";
          /**
           * An operation of a contract that stands above the vaults, or of an older version, that has no word of its own.
           */
          details: {
            contract: "aggregator" | "strategy" | "vault" | "escrow" | "oracle" | "governor";
            /**
             * The event's name.
             */
            event: string;
            /**
             * As the contract emitted them: integers as decimal strings, times in Unix seconds.
             */
            arguments: {
              [k: string]: unknown;
            };
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "upkeep_deposit";
          /**
           * Upkeep was paid in.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            depositor: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            amount: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "upkeep_withdraw_propose";
          /**
           * Taking upkeep out was proposed.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            proposer: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            amount: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            effective_at: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "upkeep_withdraw_cancel";
          /**
           * That proposal was cancelled.
           */
          details: {
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "upkeep_withdraw";
          /**
           * Upkeep was taken out. Who carried it out is the actor; anybody may.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            recipient?: string;
            /**
             * The same as `recipient`, by its older name.
             */
            withdrawer: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            amount: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "upkeep_insufficient";
          /**
           * Upkeep did not pay for an update.
           */
          details: {
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            balance: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            cost: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "upkeep_claim";
          /**
           * Spent upkeep was paid out to the protocol.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            super_bank: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            amount: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "deposit";
          /**
           * Assets came in and shares were made for them.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            /**
             * Address, EIP-55 checksummed.
             */
            owner: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            assets: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            shares: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "withdraw";
          /**
           * Assets went out for shares.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            /**
             * Address, EIP-55 checksummed.
             */
            owner: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            assets: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            shares: string;
            /**
             * Address, EIP-55 checksummed.
             */
            receiver: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "emergency_withdraw";
          /**
           * Assets were taken out of the strategy in an emergency.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            recipient: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            assets: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "deposit_request";
          /**
           * A deposit was asked for.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            controller: string;
            /**
             * Address, EIP-55 checksummed.
             */
            owner: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            request_id: string;
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            assets: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "deposit_fulfill";
          /**
           * A deposit that was asked for can be claimed.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            controller: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            request_id: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            assets: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            shares: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "deposit_cancel_request";
          /**
           * Cancelling a deposit was asked for.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            controller: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            request_id: string;
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "deposit_cancel";
          /**
           * The assets of a cancelled deposit were taken back.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            receiver: string;
            /**
             * Address, EIP-55 checksummed.
             */
            controller: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            request_id: string;
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            assets: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "redeem_request";
          /**
           * A redemption was asked for.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            controller: string;
            /**
             * Address, EIP-55 checksummed.
             */
            owner: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            request_id: string;
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            shares: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "redeem_fulfill";
          /**
           * Redemptions were fulfilled.
           */
          details: {
            /**
             * Items: Address, EIP-55 checksummed.
             */
            controllers: string[];
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            processed_shares: string;
            pps: string | null;
            /**
             * Of one request (ERC-7540).
             */
            assets?: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            request_id?: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "redeem_cancel_request";
          /**
           * Cancelling a redemption was asked for.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            controller: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            request_id: string;
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "redeem_cancel_fulfill";
          /**
           * Such a cancellation was fulfilled: the shares can be taken back.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            controller: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            shares: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "redeem_cancel";
          /**
           * The shares of a cancelled redemption were taken back.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            receiver: string;
            /**
             * Address, EIP-55 checksummed.
             */
            controller: string;
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            request_id: string;
            /**
             * Address, EIP-55 checksummed.
             */
            sender: string;
            shares: string | null;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
      | {
          action_type: "service_pause";
          /**
           * A service of the engine was paused.
           */
          details: {
            source: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            reported_at?: string;
            /**
             * An engine said so.
             */
            reported: true;
            service: string;
            reason?: string;
          };
        }
      | {
          action_type: "service_resume";
          /**
           * A service of the engine goes on.
           */
          details: {
            source: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            reported_at?: string;
            /**
             * An engine said so.
             */
            reported: true;
            service: string;
            reason?: string;
          };
        }
      | {
          action_type: "session_key_grant";
          /**
           * A session key was granted.
           */
          details: {
            source: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            reported_at?: string;
            /**
             * An engine said so.
             */
            reported: true;
            /**
             * What the engine sent as `details`.
             */
            reported_details?: {
              [k: string]: unknown;
            };
          };
        }
      | {
          action_type: "session_key_rotate";
          /**
           * A session key was replaced.
           */
          details: {
            source: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            reported_at?: string;
            /**
             * An engine said so.
             */
            reported: true;
            /**
             * What the engine sent as `details`.
             */
            reported_details?: {
              [k: string]: unknown;
            };
          };
        }
      | {
          action_type: "session_key_revoke";
          /**
           * A session key was revoked.
           */
          details: {
            source: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            reported_at?: string;
            /**
             * An engine said so.
             */
            reported: true;
            /**
             * What the engine sent as `details`.
             */
            reported_details?: {
              [k: string]: unknown;
            };
          };
        }
      | {
          action_type: "emergency_exit_arm";
          /**
           * The emergency exit was armed.
           */
          details: {
            source: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            reported_at?: string;
            /**
             * An engine said so.
             */
            reported: true;
            /**
             * What the engine sent as `details`.
             */
            reported_details?: {
              [k: string]: unknown;
            };
          };
        }
      | {
          action_type: "emergency_exit_stop";
          /**
           * The emergency exit was stopped.
           */
          details: {
            source: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            reported_at?: string;
            /**
             * An engine said so.
             */
            reported: true;
            /**
             * What the engine sent as `details`.
             */
            reported_details?: {
              [k: string]: unknown;
            };
          };
        }
      | {
          action_type: "view_only_add";
          /**
           * A wallet may see the vault.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            wallet: string;
          };
        }
      | {
          action_type: "view_only_remove";
          /**
           * A wallet may see it no longer.
           */
          details: {
            /**
             * Address, EIP-55 checksummed.
             */
            wallet: string;
          };
        }
      | {
          action_type: "vault_accept";
          /**
           * A wallet took up a vault that names it, or put it aside.
           */
          details: {
            is_accepted: boolean;
          };
        }
      | {
          action_type: "notification_channel_create";
          /**
           * A channel was made.
           */
          details: {
            channel_id: string;
            provider: string;
            name: string;
          };
        }
      | {
          action_type: "notification_channel_update";
          /**
           * A channel was changed.
           */
          details: {
            channel_id: string;
            changed: string[];
            /**
             * Why the service changed it by itself; the actor is then the zero address.
             */
            reason?: string;
          };
        }
      | {
          action_type: "notification_channel_delete";
          /**
           * A channel was removed.
           */
          details: {
            channel_id: string;
            provider: string;
            name: string;
          };
        }
      | {
          action_type: "notification_channel_bind";
          /**
           * A vault's alerts go to a channel.
           */
          details: {
            channel_id: string;
            categories: string[];
            min_severity: string;
          };
        }
      | {
          action_type: "notification_channel_unbind";
          /**
           * They go there no longer.
           */
          details: {
            channel_id: string;
          };
        }
      | {
          action_type: "webhook_create";
          /**
           * A webhook endpoint was made.
           */
          details: {
            webhook_id: string;
            event_types: string[];
            vaults: string[];
          };
        }
      | {
          action_type: "webhook_update";
          /**
           * A webhook endpoint was changed.
           */
          details: {
            webhook_id: string;
            changed: string[];
            /**
             * Why the service disabled it by itself; the actor is then the zero address.
             */
            reason?: string;
          };
        }
      | {
          action_type: "webhook_delete";
          /**
           * A webhook endpoint was removed.
           */
          details: {
            webhook_id: string;
          };
        }
      | {
          action_type: "webhook_secret_rotate";
          /**
           * A webhook endpoint got another secret.
           */
          details: {
            webhook_id: string;
          };
        }
      | {
          action_type: "alert_rule_update";
          /**
           * Rules of alerts were changed; their names and values.
           */
          details: {
            [k: string]: unknown;
          };
        }
      | {
          action_type: "alert_acknowledge";
          /**
           * Somebody looks after an alert.
           */
          details: {
            alert_id: string;
            category: string;
          };
        }
      | {
          action_type: "alert_silence";
          /**
           * Alerts were silenced, or such a silence ended.
           */
          details: {
            silence_id: string;
            category: string | null;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            ends_at: string;
            reason: string;
            ended?: true;
          };
        }
      | {
          action_type: "chain_reorg_revert";
          /**
           * A reorganisation undid an entry. Its place in the chain is the one that the operation had.
           */
          details: {
            reverted_id: string;
            reverted_seq: string;
            reverted_action_type: string;
            block_number: number;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            block_timestamp: string;
            /**
             * 32 bytes in hex.
             */
            block_hash: string;
            /**
             * 32 bytes in hex.
             */
            tx_hash: string;
            log_index: number;
            /**
             * Who sent the transaction. Not in entries that release 0.1 wrote.
             */
            tx_from?: string;
          };
        }
    ) & {
      id: string;
      /**
       * 1, 2, 3, … in the order in which entries were written, as a string.
       */
      seq: string;
      /**
       * The entry's place in time: when it was recorded, or, for blocks older than the moment at which the vault or chain was first configured, the block's time.
       */
      timestamp: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      recorded_at: string;
      action_type:
        | "vault_create"
        | "yield_source_add"
        | "yield_source_remove"
        | "yield_source_oracle_update"
        | "hook_execute"
        | "pps_update"
        | "pps_update_reject"
        | "pps_stale"
        | "pps_stale_reset"
        | "vault_pause"
        | "vault_unpause"
        | "secondary_manager_add"
        | "secondary_manager_remove"
        | "primary_manager_change_propose"
        | "primary_manager_change_cancel"
        | "primary_manager_change"
        | "role_grant"
        | "role_revoke"
        | "merkle_root_propose"
        | "merkle_root_update"
        | "merkle_root_veto"
        | "merkle_leaves_update"
        | "merkle_generate"
        | "merkle_publish"
        | "fee_config_propose"
        | "fee_config_update"
        | "fee_recipient_change"
        | "fee_skim"
        | "high_water_mark_reset"
        | "pps_params_update"
        | "parameter_change"
        | "upkeep_deposit"
        | "upkeep_withdraw_propose"
        | "upkeep_withdraw_cancel"
        | "upkeep_withdraw"
        | "upkeep_insufficient"
        | "upkeep_claim"
        | "deposit"
        | "withdraw"
        | "emergency_withdraw"
        | "deposit_request"
        | "deposit_fulfill"
        | "deposit_cancel_request"
        | "deposit_cancel"
        | "redeem_request"
        | "redeem_fulfill"
        | "redeem_cancel_request"
        | "redeem_cancel_fulfill"
        | "redeem_cancel"
        | "service_pause"
        | "service_resume"
        | "session_key_grant"
        | "session_key_rotate"
        | "session_key_revoke"
        | "emergency_exit_arm"
        | "emergency_exit_stop"
        | "view_only_add"
        | "view_only_remove"
        | "vault_accept"
        | "notification_channel_create"
        | "notification_channel_update"
        | "notification_channel_delete"
        | "notification_channel_bind"
        | "notification_channel_unbind"
        | "webhook_create"
        | "webhook_update"
        | "webhook_delete"
        | "webhook_secret_rotate"
        | "alert_rule_update"
        | "alert_acknowledge"
        | "alert_silence"
        | "chain_reorg_revert";
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * 0 for what concerns no vault.
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      actor_wallet: string;
      /**
       * By action, see below; further members may come. Of an onchain operation always with block_number, block_timestamp, block_hash, tx_hash and log_index. With `reported: true` an engine said so, and what it sent as details stands in `reported_details`.
       */
      details: {
        [k: string]: unknown;
      };
    };
  };
  /**
   * Export of the audit log
   */
  "GET /api/v1/audit/export": {
    path: {};
    query: {
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: string;
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id?: number;
      /**
       * Several: repeated or comma-separated.
       *
       * @minItems 1
       * @maxItems 100
       */
      action_type?: (
        | "vault_create"
        | "yield_source_add"
        | "yield_source_remove"
        | "yield_source_oracle_update"
        | "hook_execute"
        | "pps_update"
        | "pps_update_reject"
        | "pps_stale"
        | "pps_stale_reset"
        | "vault_pause"
        | "vault_unpause"
        | "secondary_manager_add"
        | "secondary_manager_remove"
        | "primary_manager_change_propose"
        | "primary_manager_change_cancel"
        | "primary_manager_change"
        | "role_grant"
        | "role_revoke"
        | "merkle_root_propose"
        | "merkle_root_update"
        | "merkle_root_veto"
        | "merkle_leaves_update"
        | "merkle_generate"
        | "merkle_publish"
        | "fee_config_propose"
        | "fee_config_update"
        | "fee_recipient_change"
        | "fee_skim"
        | "high_water_mark_reset"
        | "pps_params_update"
        | "parameter_change"
        | "upkeep_deposit"
        | "upkeep_withdraw_propose"
        | "upkeep_withdraw_cancel"
        | "upkeep_withdraw"
        | "upkeep_insufficient"
        | "upkeep_claim"
        | "deposit"
        | "withdraw"
        | "emergency_withdraw"
        | "deposit_request"
        | "deposit_fulfill"
        | "deposit_cancel_request"
        | "deposit_cancel"
        | "redeem_request"
        | "redeem_fulfill"
        | "redeem_cancel_request"
        | "redeem_cancel_fulfill"
        | "redeem_cancel"
        | "service_pause"
        | "service_resume"
        | "session_key_grant"
        | "session_key_rotate"
        | "session_key_revoke"
        | "emergency_exit_arm"
        | "emergency_exit_stop"
        | "view_only_add"
        | "view_only_remove"
        | "vault_accept"
        | "notification_channel_create"
        | "notification_channel_update"
        | "notification_channel_delete"
        | "notification_channel_bind"
        | "notification_channel_unbind"
        | "webhook_create"
        | "webhook_update"
        | "webhook_delete"
        | "webhook_secret_rotate"
        | "alert_rule_update"
        | "alert_acknowledge"
        | "alert_silence"
        | "chain_reorg_revert"
      )[];
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      actor_wallet?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: string;
      /**
       * What from_timestamp, to_timestamp and the order go by: the entry's `timestamp` (default), or its block's time (`recorded_at` where there is no block).
       */
      time_field?: "timestamp" | "block";
      /**
       * Default desc, the newest first. Not with a cursor.
       */
      order?: "asc" | "desc";
      /**
       * Default false. Not with CSV.
       */
      proofs?: boolean;
    };
    body: undefined;
    answer:
      | {
          logs: (((
            | {
                action_type: "vault_create";
                /**
                 * A vault was made.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  strategy: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  escrow: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  asset: string;
                  name: string;
                  symbol: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  nonce: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  primary_manager: string;
                  /**
                   * Those that its making named.
                   *
                   * Items: Address, EIP-55 checksummed.
                   */
                  secondary_managers: string[];
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "yield_source_add";
                /**
                 * A yield source was whitelisted.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  yield_source: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  oracle: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "yield_source_remove";
                /**
                 * A yield source was removed.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  yield_source: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "yield_source_oracle_update";
                /**
                 * Another oracle prices a yield source.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  yield_source: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  old_oracle: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  oracle: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "hook_execute";
                /**
                 * The manager had the strategy call a hook: assets were moved to, from or within a yield source.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  hook: string;
                  prev_hook: string | null;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  yield_source: string;
                  /**
                   * Its amount is what the hook before it left.
                   */
                  use_prev_hook_amount: boolean;
                  /**
                   * Bytes in hex.
                   */
                  calldata: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "pps_update";
                /**
                 * The price per share was updated.
                 */
                details: {
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  pps: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  old_pps?: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  pps_timestamp: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "pps_update_reject";
                /**
                 * An update of the price was refused, by the aggregator or before it by the oracle.
                 */
                details: {
                  /**
                   * The name of the event that told of it.
                   */
                  reason: string;
                  message: string | null;
                  pps_timestamp: string | null;
                  pps?: string | null;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "pps_stale";
                /**
                 * The contract flagged the price as stale.
                 */
                details: {
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "pps_stale_reset";
                /**
                 * The contract took that flag away.
                 */
                details: {
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "vault_pause";
                /**
                 * The vault was paused.
                 */
                details: {
                  account: string | null;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "vault_unpause";
                /**
                 * The vault was unpaused.
                 */
                details: {
                  account: string | null;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "secondary_manager_add";
                /**
                 * A secondary manager was added.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  manager: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "secondary_manager_remove";
                /**
                 * A secondary manager was removed.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  manager: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "primary_manager_change_propose";
                /**
                 * Another primary manager was proposed.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  proposer: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  new_manager: string;
                  fee_recipient: string | null;
                  effective_at: string | null;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "primary_manager_change_cancel";
                /**
                 * That proposal was cancelled.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  cancelled_manager: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "primary_manager_change";
                /**
                 * The primary manager changed.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  old_manager: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  new_manager: string;
                  fee_recipient: string | null;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "role_grant";
                /**
                 * A contract gave a role.
                 */
                details: {
                  /**
                   * 32 bytes in hex.
                   */
                  role: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  account: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "role_revoke";
                /**
                 * A contract took a role away.
                 */
                details: {
                  /**
                   * 32 bytes in hex.
                   */
                  role: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  account: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "merkle_root_propose";
                /**
                 * A root of the hooks that may be called was proposed.
                 */
                details: {
                  /**
                   * `global`: the root of the aggregator, which every vault falls back on.
                   */
                  scope?: "strategy" | "global";
                  proposer: string | null;
                  /**
                   * 32 bytes in hex.
                   */
                  root: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  effective_at: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "merkle_root_update";
                /**
                 * A proposed root came into force.
                 */
                details: {
                  /**
                   * `global`: the root of the aggregator, which every vault falls back on.
                   */
                  scope?: "strategy" | "global";
                  /**
                   * 32 bytes in hex.
                   */
                  old_root: string;
                  /**
                   * 32 bytes in hex.
                   */
                  root: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "merkle_root_veto";
                /**
                 * A root was vetoed, or a veto was lifted: `is_vetoed` tells which.
                 */
                details: {
                  /**
                   * `global`: the root of the aggregator, which every vault falls back on.
                   */
                  scope?: "strategy" | "global";
                  /**
                   * false: the veto was lifted.
                   */
                  is_vetoed: boolean;
                  /**
                   * 32 bytes in hex.
                   */
                  root: string;
                  guardian: string | null;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "merkle_leaves_update";
                /**
                 * The manager banned leaves of the global root for the vault, or allowed them again.
                 */
                details: {
                  /**
                   * Items: 32 bytes in hex.
                   */
                  leaves: string[];
                  /**
                   * For each leaf.
                   */
                  is_banned: boolean[];
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "merkle_generate";
                /**
                 * A job that generates a root ended.
                 */
                details: {
                  source: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  reported_at?: string;
                  /**
                   * An engine said so.
                   */
                  reported: true;
                  job_id: string;
                  status: string;
                  root?: string;
                  error?: string;
                };
              }
            | {
                action_type: "merkle_publish";
                /**
                 * A job that publishes a root ended.
                 */
                details: {
                  source: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  reported_at?: string;
                  /**
                   * An engine said so.
                   */
                  reported: true;
                  job_id: string;
                  status: string;
                  root?: string;
                  error?: string;
                };
              }
            | {
                action_type: "fee_config_propose";
                /**
                 * Other fees were proposed.
                 */
                details: {
                  /**
                   * Basis points, as a decimal string.
                   */
                  performance_fee_bps: string;
                  /**
                   * Basis points, as a decimal string.
                   */
                  management_fee_bps: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  recipient: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  effective_at: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "fee_config_update";
                /**
                 * Other fees came into force.
                 */
                details: {
                  /**
                   * Basis points, as a decimal string.
                   */
                  performance_fee_bps: string;
                  /**
                   * Basis points, as a decimal string.
                   */
                  management_fee_bps: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  recipient: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "fee_recipient_change";
                /**
                 * Fees go to another recipient.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  recipient: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "fee_skim";
                /**
                 * The performance fee was taken.
                 */
                details: {
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  fee_amount: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  old_pps: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  pps: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "high_water_mark_reset";
                /**
                 * The mark above which performance fees are taken was set anew.
                 */
                details: {
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  hwm_pps: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "pps_params_update";
                /**
                 * How a price is judged; `parameter` tells what changed.
                 */
                details:
                  | {
                      parameter: "pps_expiration_proposed";
                      current_pps_expiration_seconds: string | null;
                      replaced_pps_expiration_seconds?: string | null;
                      /**
                       * Seconds, as a decimal string.
                       */
                      pps_expiration_seconds: string;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      effective_at: string;
                      block_number: number;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      block_timestamp: string;
                      /**
                       * 32 bytes in hex.
                       */
                      block_hash: string;
                      /**
                       * 32 bytes in hex.
                       */
                      tx_hash: string;
                      log_index: number;
                      /**
                       * Who sent the transaction. Not in entries that release 0.1 wrote.
                       */
                      tx_from?: string;
                    }
                  | {
                      parameter: "pps_expiration_cancelled";
                      block_number: number;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      block_timestamp: string;
                      /**
                       * 32 bytes in hex.
                       */
                      block_hash: string;
                      /**
                       * 32 bytes in hex.
                       */
                      tx_hash: string;
                      log_index: number;
                      /**
                       * Who sent the transaction. Not in entries that release 0.1 wrote.
                       */
                      tx_from?: string;
                    }
                  | {
                      parameter: "pps_expiration";
                      /**
                       * Seconds, as a decimal string.
                       */
                      pps_expiration_seconds: string;
                      block_number: number;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      block_timestamp: string;
                      /**
                       * 32 bytes in hex.
                       */
                      block_hash: string;
                      /**
                       * 32 bytes in hex.
                       */
                      tx_hash: string;
                      log_index: number;
                      /**
                       * Who sent the transaction. Not in entries that release 0.1 wrote.
                       */
                      tx_from?: string;
                    }
                  | {
                      parameter: "deviation_threshold";
                      /**
                       * Onchain integer in raw units, as a decimal string.
                       */
                      deviation_threshold: string;
                      block_number: number;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      block_timestamp: string;
                      /**
                       * 32 bytes in hex.
                       */
                      block_hash: string;
                      /**
                       * 32 bytes in hex.
                       */
                      tx_hash: string;
                      log_index: number;
                      /**
                       * Who sent the transaction. Not in entries that release 0.1 wrote.
                       */
                      tx_from?: string;
                    }
                  | {
                      parameter: "min_update_interval_proposed";
                      /**
                       * Address, EIP-55 checksummed.
                       */
                      proposer: string;
                      /**
                       * Seconds, as a decimal string.
                       */
                      min_update_interval_seconds: string;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      effective_at: string;
                      block_number: number;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      block_timestamp: string;
                      /**
                       * 32 bytes in hex.
                       */
                      block_hash: string;
                      /**
                       * 32 bytes in hex.
                       */
                      tx_hash: string;
                      log_index: number;
                      /**
                       * Who sent the transaction. Not in entries that release 0.1 wrote.
                       */
                      tx_from?: string;
                    }
                  | {
                      parameter: "min_update_interval_cancelled";
                      /**
                       * Seconds, as a decimal string.
                       */
                      min_update_interval_seconds: string;
                      block_number: number;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      block_timestamp: string;
                      /**
                       * 32 bytes in hex.
                       */
                      block_hash: string;
                      /**
                       * 32 bytes in hex.
                       */
                      tx_hash: string;
                      log_index: number;
                      /**
                       * Who sent the transaction. Not in entries that release 0.1 wrote.
                       */
                      tx_from?: string;
                    }
                  | {
                      parameter: "min_update_interval_rejected";
                      /**
                       * Seconds, as a decimal string.
                       */
                      min_update_interval_seconds: string;
                      /**
                       * Seconds, as a decimal string.
                       */
                      max_staleness_seconds: string;
                      block_number: number;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      block_timestamp: string;
                      /**
                       * 32 bytes in hex.
                       */
                      block_hash: string;
                      /**
                       * 32 bytes in hex.
                       */
                      tx_hash: string;
                      log_index: number;
                      /**
                       * Who sent the transaction. Not in entries that release 0.1 wrote.
                       */
                      tx_from?: string;
                    }
                  | {
                      parameter: "min_update_interval";
                      /**
                       * Seconds, as a decimal string.
                       */
                      old_min_update_interval_seconds: string;
                      /**
                       * Seconds, as a decimal string.
                       */
                      min_update_interval_seconds: string;
                      block_number: number;
                      /**
                       * RFC 3339 UTC with six fractional digits.
                       */
                      block_timestamp: string;
                      /**
                       * 32 bytes in hex.
                       */
                      block_hash: string;
                      /**
                       * 32 bytes in hex.
                       */
                      tx_hash: string;
                      log_index: number;
                      /**
                       * Who sent the transaction. Not in entries that release 0.1 wrote.
                       */
                      tx_from?: string;
                    };
              }
            | {
                action_type: "parameter_change";
                /**
                 * An operation of a contract that stands above the vaults, or of an older version, that has no word of its own.
                 */
                details: {
                  contract: "aggregator" | "strategy" | "vault" | "escrow" | "oracle" | "governor";
                  /**
                   * The event's name.
                   */
                  event: string;
                  /**
                   * As the contract emitted them: integers as decimal strings, times in Unix seconds.
                   */
                  arguments: {
                    [k: string]: unknown;
                  };
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "upkeep_deposit";
                /**
                 * Upkeep was paid in.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  depositor: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  amount: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "upkeep_withdraw_propose";
                /**
                 * Taking upkeep out was proposed.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  proposer: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  amount: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  effective_at: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "upkeep_withdraw_cancel";
                /**
                 * That proposal was cancelled.
                 */
                details: {
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "upkeep_withdraw";
                /**
                 * Upkeep was taken out. Who carried it out is the actor; anybody may.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  recipient?: string;
                  /**
                   * The same as `recipient`, by its older name.
                   */
                  withdrawer: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  amount: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "upkeep_insufficient";
                /**
                 * Upkeep did not pay for an update.
                 */
                details: {
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  balance: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  cost: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "upkeep_claim";
                /**
                 * Spent upkeep was paid out to the protocol.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  super_bank: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  amount: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "deposit";
                /**
                 * Assets came in and shares were made for them.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  owner: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  assets: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  shares: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "withdraw";
                /**
                 * Assets went out for shares.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  owner: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  assets: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  shares: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  receiver: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "emergency_withdraw";
                /**
                 * Assets were taken out of the strategy in an emergency.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  recipient: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  assets: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "deposit_request";
                /**
                 * A deposit was asked for.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  controller: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  owner: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  request_id: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  assets: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "deposit_fulfill";
                /**
                 * A deposit that was asked for can be claimed.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  controller: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  request_id: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  assets: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  shares: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "deposit_cancel_request";
                /**
                 * Cancelling a deposit was asked for.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  controller: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  request_id: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "deposit_cancel";
                /**
                 * The assets of a cancelled deposit were taken back.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  receiver: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  controller: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  request_id: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  assets: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "redeem_request";
                /**
                 * A redemption was asked for.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  controller: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  owner: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  request_id: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  shares: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "redeem_fulfill";
                /**
                 * Redemptions were fulfilled.
                 */
                details: {
                  /**
                   * Items: Address, EIP-55 checksummed.
                   */
                  controllers: string[];
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  processed_shares: string;
                  pps: string | null;
                  /**
                   * Of one request (ERC-7540).
                   */
                  assets?: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  request_id?: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "redeem_cancel_request";
                /**
                 * Cancelling a redemption was asked for.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  controller: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  request_id: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "redeem_cancel_fulfill";
                /**
                 * Such a cancellation was fulfilled: the shares can be taken back.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  controller: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  shares: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "redeem_cancel";
                /**
                 * The shares of a cancelled redemption were taken back.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  receiver: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  controller: string;
                  /**
                   * Onchain integer in raw units, as a decimal string.
                   */
                  request_id: string;
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  sender: string;
                  shares: string | null;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
            | {
                action_type: "service_pause";
                /**
                 * A service of the engine was paused.
                 */
                details: {
                  source: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  reported_at?: string;
                  /**
                   * An engine said so.
                   */
                  reported: true;
                  service: string;
                  reason?: string;
                };
              }
            | {
                action_type: "service_resume";
                /**
                 * A service of the engine goes on.
                 */
                details: {
                  source: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  reported_at?: string;
                  /**
                   * An engine said so.
                   */
                  reported: true;
                  service: string;
                  reason?: string;
                };
              }
            | {
                action_type: "session_key_grant";
                /**
                 * A session key was granted.
                 */
                details: {
                  source: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  reported_at?: string;
                  /**
                   * An engine said so.
                   */
                  reported: true;
                  /**
                   * What the engine sent as `details`.
                   */
                  reported_details?: {
                    [k: string]: unknown;
                  };
                };
              }
            | {
                action_type: "session_key_rotate";
                /**
                 * A session key was replaced.
                 */
                details: {
                  source: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  reported_at?: string;
                  /**
                   * An engine said so.
                   */
                  reported: true;
                  /**
                   * What the engine sent as `details`.
                   */
                  reported_details?: {
                    [k: string]: unknown;
                  };
                };
              }
            | {
                action_type: "session_key_revoke";
                /**
                 * A session key was revoked.
                 */
                details: {
                  source: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  reported_at?: string;
                  /**
                   * An engine said so.
                   */
                  reported: true;
                  /**
                   * What the engine sent as `details`.
                   */
                  reported_details?: {
                    [k: string]: unknown;
                  };
                };
              }
            | {
                action_type: "emergency_exit_arm";
                /**
                 * The emergency exit was armed.
                 */
                details: {
                  source: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  reported_at?: string;
                  /**
                   * An engine said so.
                   */
                  reported: true;
                  /**
                   * What the engine sent as `details`.
                   */
                  reported_details?: {
                    [k: string]: unknown;
                  };
                };
              }
            | {
                action_type: "emergency_exit_stop";
                /**
                 * The emergency exit was stopped.
                 */
                details: {
                  source: string;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  reported_at?: string;
                  /**
                   * An engine said so.
                   */
                  reported: true;
                  /**
                   * What the engine sent as `details`.
                   */
                  reported_details?: {
                    [k: string]: unknown;
                  };
                };
              }
            | {
                action_type: "view_only_add";
                /**
                 * A wallet may see the vault.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  wallet: string;
                };
              }
            | {
                action_type: "view_only_remove";
                /**
                 * A wallet may see it no longer.
                 */
                details: {
                  /**
                   * Address, EIP-55 checksummed.
                   */
                  wallet: string;
                };
              }
            | {
                action_type: "vault_accept";
                /**
                 * A wallet took up a vault that names it, or put it aside.
                 */
                details: {
                  is_accepted: boolean;
                };
              }
            | {
                action_type: "notification_channel_create";
                /**
                 * A channel was made.
                 */
                details: {
                  channel_id: string;
                  provider: string;
                  name: string;
                };
              }
            | {
                action_type: "notification_channel_update";
                /**
                 * A channel was changed.
                 */
                details: {
                  channel_id: string;
                  changed: string[];
                  /**
                   * Why the service changed it by itself; the actor is then the zero address.
                   */
                  reason?: string;
                };
              }
            | {
                action_type: "notification_channel_delete";
                /**
                 * A channel was removed.
                 */
                details: {
                  channel_id: string;
                  provider: string;
                  name: string;
                };
              }
            | {
                action_type: "notification_channel_bind";
                /**
                 * A vault's alerts go to a channel.
                 */
                details: {
                  channel_id: string;
                  categories: string[];
                  min_severity: string;
                };
              }
            | {
                action_type: "notification_channel_unbind";
                /**
                 * They go there no longer.
                 */
                details: {
                  channel_id: string;
                };
              }
            | {
                action_type: "webhook_create";
                /**
                 * A webhook endpoint was made.
                 */
                details: {
                  webhook_id: string;
                  event_types: string[];
                  vaults: string[];
                };
              }
            | {
                action_type: "webhook_update";
                /**
                 * A webhook endpoint was changed.
                 */
                details: {
                  webhook_id: string;
                  changed: string[];
                  /**
                   * Why the service disabled it by itself; the actor is then the zero address.
                   */
                  reason?: string;
                };
              }
            | {
                action_type: "webhook_delete";
                /**
                 * A webhook endpoint was removed.
                 */
                details: {
                  webhook_id: string;
                };
              }
            | {
                action_type: "webhook_secret_rotate";
                /**
                 * A webhook endpoint got another secret.
                 */
                details: {
                  webhook_id: string;
                };
              }
            | {
                action_type: "alert_rule_update";
                /**
                 * Rules of alerts were changed; their names and values.
                 */
                details: {
                  [k: string]: unknown;
                };
              }
            | {
                action_type: "alert_acknowledge";
                /**
                 * Somebody looks after an alert.
                 */
                details: {
                  alert_id: string;
                  category: string;
                };
              }
            | {
                action_type: "alert_silence";
                /**
                 * Alerts were silenced, or such a silence ended.
                 */
                details: {
                  silence_id: string;
                  category: string | null;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  ends_at: string;
                  reason: string;
                  ended?: true;
                };
              }
            | {
                action_type: "chain_reorg_revert";
                /**
                 * A reorganisation undid an entry. Its place in the chain is the one that the operation had.
                 */
                details: {
                  reverted_id: string;
                  reverted_seq: string;
                  reverted_action_type: string;
                  block_number: number;
                  /**
                   * RFC 3339 UTC with six fractional digits.
                   */
                  block_timestamp: string;
                  /**
                   * 32 bytes in hex.
                   */
                  block_hash: string;
                  /**
                   * 32 bytes in hex.
                   */
                  tx_hash: string;
                  log_index: number;
                  /**
                   * Who sent the transaction. Not in entries that release 0.1 wrote.
                   */
                  tx_from?: string;
                };
              }
          ) & {
            id: string;
            /**
             * 1, 2, 3, … in the order in which entries were written, as a string.
             */
            seq: string;
            /**
             * The entry's place in time: when it was recorded, or, for blocks older than the moment at which the vault or chain was first configured, the block's time.
             */
            timestamp: string;
            /**
             * RFC 3339 UTC with six fractional digits.
             */
            recorded_at: string;
            action_type:
              | "vault_create"
              | "yield_source_add"
              | "yield_source_remove"
              | "yield_source_oracle_update"
              | "hook_execute"
              | "pps_update"
              | "pps_update_reject"
              | "pps_stale"
              | "pps_stale_reset"
              | "vault_pause"
              | "vault_unpause"
              | "secondary_manager_add"
              | "secondary_manager_remove"
              | "primary_manager_change_propose"
              | "primary_manager_change_cancel"
              | "primary_manager_change"
              | "role_grant"
              | "role_revoke"
              | "merkle_root_propose"
              | "merkle_root_update"
              | "merkle_root_veto"
              | "merkle_leaves_update"
              | "merkle_generate"
              | "merkle_publish"
              | "fee_config_propose"
              | "fee_config_update"
              | "fee_recipient_change"
              | "fee_skim"
              | "high_water_mark_reset"
              | "pps_params_update"
              | "parameter_change"
              | "upkeep_deposit"
              | "upkeep_withdraw_propose"
              | "upkeep_withdraw_cancel"
              | "upkeep_withdraw"
              | "upkeep_insufficient"
              | "upkeep_claim"
              | "deposit"
              | "withdraw"
              | "emergency_withdraw"
              | "deposit_request"
              | "deposit_fulfill"
              | "deposit_cancel_request"
              | "deposit_cancel"
              | "redeem_request"
              | "redeem_fulfill"
              | "redeem_cancel_request"
              | "redeem_cancel_fulfill"
              | "redeem_cancel"
              | "service_pause"
              | "service_resume"
              | "session_key_grant"
              | "session_key_rotate"
              | "session_key_revoke"
              | "emergency_exit_arm"
              | "emergency_exit_stop"
              | "view_only_add"
              | "view_only_remove"
              | "vault_accept"
              | "notification_channel_create"
              | "notification_channel_update"
              | "notification_channel_delete"
              | "notification_channel_bind"
              | "notification_channel_unbind"
              | "webhook_create"
              | "webhook_update"
              | "webhook_delete"
              | "webhook_secret_rotate"
              | "alert_rule_update"
              | "alert_acknowledge"
              | "alert_silence"
              | "chain_reorg_revert";
            /**
             * Address, EIP-55 checksummed.
             */
            vault_address: string;
            /**
             * 0 for what concerns no vault.
             */
            chain_id: number;
            /**
             * Address, EIP-55 checksummed.
             */
            actor_wallet: string;
            /**
             * By action, see below; further members may come. Of an onchain operation always with block_number, block_timestamp, block_hash, tx_hash and log_index. With `reported: true` an engine said so, and what it sent as details stands in `reported_details`.
             */
            details: {
              [k: string]: unknown;
            };
          }) & {
            /**
             * With `proofs=true`: that the entry is in the checkpoint's tree (RFC 9162).
             */
            proof?: {
              leaf_index: number;
              tree_size: number;
              /**
               * Items: SHA-256, in base64.
               */
              hashes: string[];
            };
          })[];
          /**
           * Number of entries in the export.
           */
          total: number;
          /**
           * The signed checkpoint that the export stands under; null when none could be signed.
           */
          checkpoint: string | null;
        }
      | string;
  };
  /**
   * Signed checkpoint
   */
  "GET /api/v1/audit/checkpoint": {
    path: {};
    query: {
      /**
       * Exactly this number of entries; 404 when none was signed there.
       */
      size?: number;
    };
    body: undefined;
    answer: string;
  };
  /**
   * Public keys of the audit log
   */
  "GET /api/v1/audit/keys": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      keys: {
        vkey: string;
        from_size: number;
      }[];
    };
  };
  /**
   * Inclusion proof
   */
  "GET /api/v1/audit/proof": {
    path: {};
    query: {
      seq: number;
      /**
       * At least seq, at most the size of the newest checkpoint.
       */
      size?: number;
    };
    body: undefined;
    answer: {
      seq: string;
      leaf_index: number;
      tree_size: number;
      /**
       * SHA-256, in base64.
       */
      leaf_hash: string;
      /**
       * Items: SHA-256, in base64.
       */
      hashes: string[];
      checkpoint: string | null;
    };
  };
  /**
   * Consistency proof
   */
  "GET /api/v1/audit/proof/consistency": {
    path: {};
    query: {
      /**
       * The earlier size.
       */
      from: number;
      /**
       * The later size, at most that of the newest checkpoint.
       */
      to: number;
    };
    body: undefined;
    answer: {
      from: number;
      to: number;
      /**
       * Items: SHA-256, in base64.
       */
      hashes: string[];
    };
  };
  /**
   * State of the background check
   */
  "GET /api/v1/audit/verification": {
    path: {};
    query: {};
    body: undefined;
    answer: {
      status: "pending" | "ok" | "failed";
      is_running: boolean;
      checked_size: number | null;
      checked_at: string | null;
      failure: {
        seq: string | null;
        reason: string;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        found_at: string;
      } | null;
    };
  };
  /**
   * Audit log as server-sent events
   */
  "GET /api/v1/audit/stream": {
    path: {};
    query: {
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: string;
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id?: number;
      /**
       * Several: repeated or comma-separated.
       *
       * @minItems 1
       * @maxItems 100
       */
      action_type?: (
        | "vault_create"
        | "yield_source_add"
        | "yield_source_remove"
        | "yield_source_oracle_update"
        | "hook_execute"
        | "pps_update"
        | "pps_update_reject"
        | "pps_stale"
        | "pps_stale_reset"
        | "vault_pause"
        | "vault_unpause"
        | "secondary_manager_add"
        | "secondary_manager_remove"
        | "primary_manager_change_propose"
        | "primary_manager_change_cancel"
        | "primary_manager_change"
        | "role_grant"
        | "role_revoke"
        | "merkle_root_propose"
        | "merkle_root_update"
        | "merkle_root_veto"
        | "merkle_leaves_update"
        | "merkle_generate"
        | "merkle_publish"
        | "fee_config_propose"
        | "fee_config_update"
        | "fee_recipient_change"
        | "fee_skim"
        | "high_water_mark_reset"
        | "pps_params_update"
        | "parameter_change"
        | "upkeep_deposit"
        | "upkeep_withdraw_propose"
        | "upkeep_withdraw_cancel"
        | "upkeep_withdraw"
        | "upkeep_insufficient"
        | "upkeep_claim"
        | "deposit"
        | "withdraw"
        | "emergency_withdraw"
        | "deposit_request"
        | "deposit_fulfill"
        | "deposit_cancel_request"
        | "deposit_cancel"
        | "redeem_request"
        | "redeem_fulfill"
        | "redeem_cancel_request"
        | "redeem_cancel_fulfill"
        | "redeem_cancel"
        | "service_pause"
        | "service_resume"
        | "session_key_grant"
        | "session_key_rotate"
        | "session_key_revoke"
        | "emergency_exit_arm"
        | "emergency_exit_stop"
        | "view_only_add"
        | "view_only_remove"
        | "vault_accept"
        | "notification_channel_create"
        | "notification_channel_update"
        | "notification_channel_delete"
        | "notification_channel_bind"
        | "notification_channel_unbind"
        | "webhook_create"
        | "webhook_update"
        | "webhook_delete"
        | "webhook_secret_rotate"
        | "alert_rule_update"
        | "alert_acknowledge"
        | "alert_silence"
        | "chain_reorg_revert"
      )[];
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      actor_wallet?: string;
      /**
       * Walks forward in the order of `seq`: `start`, `now`, or a `next_cursor`. Never skips or repeats an entry, and never ends.
       */
      cursor?: string;
    };
    body: undefined;
    answer: string;
  };
  /**
   * Alerts of the caller's vaults
   */
  "GET /api/v1/alerts": {
    path: {};
    query: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id?: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: string;
      /**
       * @minItems 1
       * @maxItems 100
       */
      category?: (
        | "upkeep"
        | "pps_staleness"
        | "keeper_run"
        | "session_key"
        | "emergency_pause"
        | "emergency_exit"
        | "merkle"
        | "execution"
        | "system"
      )[];
      /**
       * @minItems 1
       * @maxItems 100
       */
      severity?: ("critical" | "warning" | "info")[];
      /**
       * @minItems 1
       * @maxItems 100
       */
      status?: ("firing" | "acknowledged" | "resolved")[];
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: string;
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: {
      alerts: {
        id: string;
        category:
          | "upkeep"
          | "pps_staleness"
          | "keeper_run"
          | "session_key"
          | "emergency_pause"
          | "emergency_exit"
          | "merkle"
          | "execution"
          | "system";
        /**
         * What it is about within the category: a service's name, a strategy, a kind of job.
         */
        subject: string;
        severity: "critical" | "warning" | "info";
        status: "firing" | "acknowledged" | "resolved";
        /**
         * Address, EIP-55 checksummed.
         */
        vault_address: string;
        /**
         * Chain identifier (EIP-155); 0 for what concerns no vault.
         */
        chain_id: number;
        vault_name: string | null;
        title: string;
        /**
         * What happened, to which vault, since when.
         */
        message: string;
        /**
         * What to do next.
         */
        next_step: string;
        details: {
          [k: string]: unknown;
        };
        /**
         * The alert in the console.
         */
        console_url: string;
        transaction_url: string | null;
        /**
         * It stands on a block that a reorganisation may still take away.
         */
        is_unconfirmed: boolean;
        /**
         * A reorganisation took away what it stood on.
         */
        is_withdrawn: boolean;
        /**
         * It comes and goes, and is held open until nothing was seen of it for five minutes.
         */
        is_flapping: boolean;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        started_at: string;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        last_seen_at: string;
        resolved_at: string | null;
        acknowledged_at: string | null;
        acknowledged_by: string | null;
        last_notice: ("opened" | "severity_raised" | "reminder") | null;
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * An alert
   */
  "GET /api/v1/alerts/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      id: string;
      category:
        | "upkeep"
        | "pps_staleness"
        | "keeper_run"
        | "session_key"
        | "emergency_pause"
        | "emergency_exit"
        | "merkle"
        | "execution"
        | "system";
      /**
       * What it is about within the category: a service's name, a strategy, a kind of job.
       */
      subject: string;
      severity: "critical" | "warning" | "info";
      status: "firing" | "acknowledged" | "resolved";
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id: number;
      vault_name: string | null;
      title: string;
      /**
       * What happened, to which vault, since when.
       */
      message: string;
      /**
       * What to do next.
       */
      next_step: string;
      details: {
        [k: string]: unknown;
      };
      /**
       * The alert in the console.
       */
      console_url: string;
      transaction_url: string | null;
      /**
       * It stands on a block that a reorganisation may still take away.
       */
      is_unconfirmed: boolean;
      /**
       * A reorganisation took away what it stood on.
       */
      is_withdrawn: boolean;
      /**
       * It comes and goes, and is held open until nothing was seen of it for five minutes.
       */
      is_flapping: boolean;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      started_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      last_seen_at: string;
      resolved_at: string | null;
      acknowledged_at: string | null;
      acknowledged_by: string | null;
      last_notice: ("opened" | "severity_raised" | "reminder") | null;
    };
  };
  /**
   * Say that somebody is on it
   */
  "POST /api/v1/alerts/{id}/acknowledge": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: {
      id: string;
      category:
        | "upkeep"
        | "pps_staleness"
        | "keeper_run"
        | "session_key"
        | "emergency_pause"
        | "emergency_exit"
        | "merkle"
        | "execution"
        | "system";
      /**
       * What it is about within the category: a service's name, a strategy, a kind of job.
       */
      subject: string;
      severity: "critical" | "warning" | "info";
      status: "firing" | "acknowledged" | "resolved";
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id: number;
      vault_name: string | null;
      title: string;
      /**
       * What happened, to which vault, since when.
       */
      message: string;
      /**
       * What to do next.
       */
      next_step: string;
      details: {
        [k: string]: unknown;
      };
      /**
       * The alert in the console.
       */
      console_url: string;
      transaction_url: string | null;
      /**
       * It stands on a block that a reorganisation may still take away.
       */
      is_unconfirmed: boolean;
      /**
       * A reorganisation took away what it stood on.
       */
      is_withdrawn: boolean;
      /**
       * It comes and goes, and is held open until nothing was seen of it for five minutes.
       */
      is_flapping: boolean;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      started_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      last_seen_at: string;
      resolved_at: string | null;
      acknowledged_at: string | null;
      acknowledged_by: string | null;
      last_notice: ("opened" | "severity_raised" | "reminder") | null;
    };
  };
  /**
   * Silences of the caller's vaults
   */
  "GET /api/v1/silences": {
    path: {};
    query: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id?: string;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: string;
      is_active?: boolean;
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: {
      silences: {
        id: string;
        /**
         * Chain identifier (EIP-155); 0 for what concerns no vault.
         */
        chain_id: number;
        /**
         * Address, EIP-55 checksummed.
         */
        vault_address: string;
        category:
          | (
              | "upkeep"
              | "pps_staleness"
              | "keeper_run"
              | "session_key"
              | "emergency_pause"
              | "emergency_exit"
              | "merkle"
              | "execution"
              | "system"
            )
          | null;
        reason: string;
        /**
         * Address, EIP-55 checksummed.
         */
        created_by: string;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        created_at: string;
        /**
         * RFC 3339 UTC with six fractional digits.
         */
        ends_at: string;
        ended_by: string | null;
      }[];
      total: number;
      has_more: boolean;
    };
  };
  /**
   * Silence a vault for a while
   */
  "POST /api/v1/silences": {
    path: {};
    query: {};
    body: {
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
      category?:
        | "upkeep"
        | "pps_staleness"
        | "keeper_run"
        | "session_key"
        | "emergency_pause"
        | "emergency_exit"
        | "merkle"
        | "execution"
        | "system";
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      ends_at: string;
      reason: string;
    };
    answer: {
      id: string;
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      category:
        | (
            | "upkeep"
            | "pps_staleness"
            | "keeper_run"
            | "session_key"
            | "emergency_pause"
            | "emergency_exit"
            | "merkle"
            | "execution"
            | "system"
          )
        | null;
      reason: string;
      /**
       * Address, EIP-55 checksummed.
       */
      created_by: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      created_at: string;
      /**
       * RFC 3339 UTC with six fractional digits.
       */
      ends_at: string;
      ended_by: string | null;
    };
  };
  /**
   * End a silence early
   */
  "DELETE /api/v1/silences/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * When a vault's alerts fire
   */
  "GET /api/v1/vaults/{chain_id}/{vault_address}/alert-rules": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
    };
    query: {};
    body: undefined;
    answer: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * Thresholds of vaults that have none of their own.
       */
      rules: {
        /**
         * Upkeep short of what the next update of the price costs, or of a reserve.
         */
        upkeep: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.
           */
          reserve: string;
        };
        /**
         * A price per share that expires soon, or has.
         */
        pps_staleness: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Remaining time of the price at which it is a warning,
           */
          warning_seconds: number;
          /**
           * or this part of its whole life, if that is less.
           */
          warning_fraction: number;
          /**
           * Remaining time of the price at which it is critical,
           */
          critical_seconds: number;
          /**
           * or this part of its whole life, if that is less.
           */
          critical_fraction: number;
        };
        /**
         * A service that fails or falls silent.
         */
        keeper_run: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Failed runs in a row that are a warning.
           */
          consecutive_failures: number;
          /**
           * Success rate of the last 100 runs under which it is a warning.
           */
          warning_success_rate: number;
          /**
           * Success rate under which it is critical.
           */
          critical_success_rate: number;
          /**
           * Schedules without a run that are a warning.
           */
          warning_schedules: number;
          /**
           * Schedules without a run that are critical.
           */
          critical_schedules: number;
        };
        /**
         * A session key that is not ready, expires soon, or is to be rotated.
         */
        session_key: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Remaining life of the key at which it is a warning.
           */
          expires_within_seconds: number;
        };
        /**
         * A vault that is paused.
         */
        emergency_pause: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
        };
        /**
         * An emergency liquidity exit that is armed.
         */
        emergency_exit: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
        };
        /**
         * A merkle root that could not be generated or published, or was vetoed.
         */
        merkle: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
        };
        /**
         * Intents of a strategy that fail again and again.
         */
        execution: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Failed or aborted intents of a strategy that are a warning; twice as many are critical.
           */
          failures: number;
          /**
           * Within how long.
           */
          window_seconds: number;
        };
      };
      /**
       * Thresholds of vaults that have none of their own.
       */
      own_rules: {
        /**
         * Upkeep short of what the next update of the price costs, or of a reserve.
         */
        upkeep?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.
           */
          reserve?: string;
        };
        /**
         * A price per share that expires soon, or has.
         */
        pps_staleness?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Remaining time of the price at which it is a warning,
           */
          warning_seconds?: number;
          /**
           * or this part of its whole life, if that is less.
           */
          warning_fraction?: number;
          /**
           * Remaining time of the price at which it is critical,
           */
          critical_seconds?: number;
          /**
           * or this part of its whole life, if that is less.
           */
          critical_fraction?: number;
        };
        /**
         * A service that fails or falls silent.
         */
        keeper_run?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Failed runs in a row that are a warning.
           */
          consecutive_failures?: number;
          /**
           * Success rate of the last 100 runs under which it is a warning.
           */
          warning_success_rate?: number;
          /**
           * Success rate under which it is critical.
           */
          critical_success_rate?: number;
          /**
           * Schedules without a run that are a warning.
           */
          warning_schedules?: number;
          /**
           * Schedules without a run that are critical.
           */
          critical_schedules?: number;
        };
        /**
         * A session key that is not ready, expires soon, or is to be rotated.
         */
        session_key?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Remaining life of the key at which it is a warning.
           */
          expires_within_seconds?: number;
        };
        /**
         * A vault that is paused.
         */
        emergency_pause?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
        };
        /**
         * An emergency liquidity exit that is armed.
         */
        emergency_exit?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
        };
        /**
         * A merkle root that could not be generated or published, or was vetoed.
         */
        merkle?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
        };
        /**
         * Intents of a strategy that fail again and again.
         */
        execution?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Failed or aborted intents of a strategy that are a warning; twice as many are critical.
           */
          failures?: number;
          /**
           * Within how long.
           */
          window_seconds?: number;
        };
      };
      updated_by: string | null;
      updated_at: string | null;
    };
  };
  /**
   * Set when a vault's alerts fire
   */
  "PUT /api/v1/vaults/{chain_id}/{vault_address}/alert-rules": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: string;
    };
    query: {};
    body: {
      /**
       * Thresholds of vaults that have none of their own.
       */
      rules: {
        /**
         * Upkeep short of what the next update of the price costs, or of a reserve.
         */
        upkeep?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.
           */
          reserve?: string;
        };
        /**
         * A price per share that expires soon, or has.
         */
        pps_staleness?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Remaining time of the price at which it is a warning,
           */
          warning_seconds?: number;
          /**
           * or this part of its whole life, if that is less.
           */
          warning_fraction?: number;
          /**
           * Remaining time of the price at which it is critical,
           */
          critical_seconds?: number;
          /**
           * or this part of its whole life, if that is less.
           */
          critical_fraction?: number;
        };
        /**
         * A service that fails or falls silent.
         */
        keeper_run?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Failed runs in a row that are a warning.
           */
          consecutive_failures?: number;
          /**
           * Success rate of the last 100 runs under which it is a warning.
           */
          warning_success_rate?: number;
          /**
           * Success rate under which it is critical.
           */
          critical_success_rate?: number;
          /**
           * Schedules without a run that are a warning.
           */
          warning_schedules?: number;
          /**
           * Schedules without a run that are critical.
           */
          critical_schedules?: number;
        };
        /**
         * A session key that is not ready, expires soon, or is to be rotated.
         */
        session_key?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Remaining life of the key at which it is a warning.
           */
          expires_within_seconds?: number;
        };
        /**
         * A vault that is paused.
         */
        emergency_pause?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
        };
        /**
         * An emergency liquidity exit that is armed.
         */
        emergency_exit?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
        };
        /**
         * A merkle root that could not be generated or published, or was vetoed.
         */
        merkle?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
        };
        /**
         * Intents of a strategy that fail again and again.
         */
        execution?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Failed or aborted intents of a strategy that are a warning; twice as many are critical.
           */
          failures?: number;
          /**
           * Within how long.
           */
          window_seconds?: number;
        };
      };
    };
    answer: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: number;
      /**
       * Address, EIP-55 checksummed.
       */
      vault_address: string;
      /**
       * Thresholds of vaults that have none of their own.
       */
      rules: {
        /**
         * Upkeep short of what the next update of the price costs, or of a reserve.
         */
        upkeep: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.
           */
          reserve: string;
        };
        /**
         * A price per share that expires soon, or has.
         */
        pps_staleness: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Remaining time of the price at which it is a warning,
           */
          warning_seconds: number;
          /**
           * or this part of its whole life, if that is less.
           */
          warning_fraction: number;
          /**
           * Remaining time of the price at which it is critical,
           */
          critical_seconds: number;
          /**
           * or this part of its whole life, if that is less.
           */
          critical_fraction: number;
        };
        /**
         * A service that fails or falls silent.
         */
        keeper_run: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Failed runs in a row that are a warning.
           */
          consecutive_failures: number;
          /**
           * Success rate of the last 100 runs under which it is a warning.
           */
          warning_success_rate: number;
          /**
           * Success rate under which it is critical.
           */
          critical_success_rate: number;
          /**
           * Schedules without a run that are a warning.
           */
          warning_schedules: number;
          /**
           * Schedules without a run that are critical.
           */
          critical_schedules: number;
        };
        /**
         * A session key that is not ready, expires soon, or is to be rotated.
         */
        session_key: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Remaining life of the key at which it is a warning.
           */
          expires_within_seconds: number;
        };
        /**
         * A vault that is paused.
         */
        emergency_pause: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
        };
        /**
         * An emergency liquidity exit that is armed.
         */
        emergency_exit: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
        };
        /**
         * A merkle root that could not be generated or published, or was vetoed.
         */
        merkle: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
        };
        /**
         * Intents of a strategy that fail again and again.
         */
        execution: {
          /**
           * Whether the category is watched.
           */
          is_enabled: boolean;
          /**
           * Failed or aborted intents of a strategy that are a warning; twice as many are critical.
           */
          failures: number;
          /**
           * Within how long.
           */
          window_seconds: number;
        };
      };
      /**
       * Thresholds of vaults that have none of their own.
       */
      own_rules: {
        /**
         * Upkeep short of what the next update of the price costs, or of a reserve.
         */
        upkeep?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.
           */
          reserve?: string;
        };
        /**
         * A price per share that expires soon, or has.
         */
        pps_staleness?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Remaining time of the price at which it is a warning,
           */
          warning_seconds?: number;
          /**
           * or this part of its whole life, if that is less.
           */
          warning_fraction?: number;
          /**
           * Remaining time of the price at which it is critical,
           */
          critical_seconds?: number;
          /**
           * or this part of its whole life, if that is less.
           */
          critical_fraction?: number;
        };
        /**
         * A service that fails or falls silent.
         */
        keeper_run?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Failed runs in a row that are a warning.
           */
          consecutive_failures?: number;
          /**
           * Success rate of the last 100 runs under which it is a warning.
           */
          warning_success_rate?: number;
          /**
           * Success rate under which it is critical.
           */
          critical_success_rate?: number;
          /**
           * Schedules without a run that are a warning.
           */
          warning_schedules?: number;
          /**
           * Schedules without a run that are critical.
           */
          critical_schedules?: number;
        };
        /**
         * A session key that is not ready, expires soon, or is to be rotated.
         */
        session_key?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Remaining life of the key at which it is a warning.
           */
          expires_within_seconds?: number;
        };
        /**
         * A vault that is paused.
         */
        emergency_pause?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
        };
        /**
         * An emergency liquidity exit that is armed.
         */
        emergency_exit?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
        };
        /**
         * A merkle root that could not be generated or published, or was vetoed.
         */
        merkle?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
        };
        /**
         * Intents of a strategy that fail again and again.
         */
        execution?: {
          /**
           * Whether the category is watched.
           */
          is_enabled?: boolean;
          /**
           * Failed or aborted intents of a strategy that are a warning; twice as many are critical.
           */
          failures?: number;
          /**
           * Within how long.
           */
          window_seconds?: number;
        };
      };
      updated_by: string | null;
      updated_at: string | null;
    };
  };
  /**
   * Report events
   */
  "POST /api/v1/ingest/events": {
    path: {};
    query: {};
    body:
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.service.run";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject?: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
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
        }
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.service.state";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject?: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
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
        }
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.intent.event";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
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
        }
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.intent.fill";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
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
        }
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.shard.state";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
            strategy_count: number;
            active_intent_count: number;
            /**
             * Seconds.
             */
            tick_interval: number;
            fields: {
              [k: string]: unknown;
            };
            /**
             * @maxItems 1000
             */
            strategies: {
              [k: string]: unknown;
            }[];
            /**
             * @maxItems 1000
             */
            allocations: {
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
        }
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.redemption.execution";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
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
        }
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.session_key.readiness";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
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
        }
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.merkle.job";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
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
        }
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.pps.report";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
            /**
             * Onchain integer in raw units, as a decimal string.
             */
            value: string;
            /**
             * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
             */
            at: string;
          };
        }
      | {
          specversion: "1.0";
          /**
           * Makes a repeated report known.
           */
          id: string;
          /**
           * The source that the token is bound to.
           */
          source: string;
          type: "vaultops.action";
          /**
           * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
           */
          time: string;
          /**
           * The vault id, `{chain_id}:{vault_address}`.
           */
          subject: string;
          /**
           * `application/json` where given.
           */
          datacontenttype?: string;
          dataschema?: string;
          data: {
            action_type:
              | "emergency_exit_arm"
              | "emergency_exit_stop"
              | "session_key_grant"
              | "session_key_rotate"
              | "session_key_revoke";
            /**
             * Address in any case; in mixed case its EIP-55 checksum must be right.
             */
            actor_wallet: string;
            details: {
              [k: string]: unknown;
            };
          };
        };
    answer: {
      results: {
        source: string | null;
        id: string | null;
        status: "accepted" | "duplicate" | "rejected";
        /**
         * true: the service knows nothing of the vault or chain yet. The same report may be taken later.
         */
        retry?: boolean;
        problem?: {
          /**
           * A code of the catalogue.
           */
          code: string;
          title: string;
          status: number;
          detail: string;
          errors?: {
            path: string;
            message: string;
          }[];
        };
      }[];
    };
  };
}
