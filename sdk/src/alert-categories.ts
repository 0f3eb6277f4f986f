// Generated from server/src/monitors by `npm run gen`. Do not edit.

/** The categories of alerts. `fields` are the thresholds of its rule, as a form shows them; null where there is no rule to change. */
export const ALERT_CATEGORIES = [
  {
    "category": "upkeep",
    "name": "Upkeep",
    "description": "Upkeep short of what the next update of the price costs, or of a reserve.",
    "fields": [
      {
        "key": "reserve",
        "label": "Reserve above what an update costs",
        "description": "Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.",
        "unit": "raw",
        "default": "0"
      }
    ]
  },
  {
    "category": "pps_staleness",
    "name": "Price staleness",
    "description": "A price per share that expires soon, or has.",
    "fields": [
      {
        "key": "warning_seconds",
        "label": "Warning when this much time is left",
        "description": "Remaining time of the price at which it is a warning.",
        "unit": "seconds",
        "default": 3600
      },
      {
        "key": "warning_fraction",
        "label": "or this part of its lifetime, if that is less",
        "description": "Remaining part of the price's lifetime at which it is a warning, if that is less time.",
        "unit": "share",
        "default": 0.25
      },
      {
        "key": "critical_seconds",
        "label": "Critical when this much time is left",
        "description": "Remaining time of the price at which it is critical.",
        "unit": "seconds",
        "default": 600
      },
      {
        "key": "critical_fraction",
        "label": "or this part of its lifetime, if that is less",
        "description": "Remaining part of the price's lifetime at which it is critical, if that is less time.",
        "unit": "share",
        "default": 0.1
      }
    ]
  },
  {
    "category": "keeper_run",
    "name": "Keeper runs",
    "description": "A service that fails or falls silent.",
    "fields": [
      {
        "key": "consecutive_failures",
        "label": "Warning after failures in a row",
        "description": "Failed runs in a row that are a warning.",
        "unit": "count",
        "default": 3
      },
      {
        "key": "warning_success_rate",
        "label": "Warning under a success rate of",
        "description": "Success rate of the last 100 runs under which it is a warning.",
        "unit": "share",
        "default": 0.95
      },
      {
        "key": "critical_success_rate",
        "label": "Critical under a success rate of",
        "description": "Success rate under which it is critical.",
        "unit": "share",
        "default": 0.8
      },
      {
        "key": "warning_schedules",
        "label": "Warning after schedules without a run",
        "description": "Schedules without a run that are a warning.",
        "unit": "count",
        "default": 2
      },
      {
        "key": "critical_schedules",
        "label": "Critical after schedules without a run",
        "description": "Schedules without a run that are critical.",
        "unit": "count",
        "default": 3
      }
    ]
  },
  {
    "category": "session_key",
    "name": "Session key",
    "description": "A session key that is not ready, expires soon, or is to be rotated.",
    "fields": [
      {
        "key": "expires_within_seconds",
        "label": "Warning when the key has this much time left",
        "description": "Remaining lifetime of the key at which it is a warning.",
        "unit": "seconds",
        "default": 86400
      }
    ]
  },
  {
    "category": "emergency_pause",
    "name": "Emergency pause",
    "description": "A vault that is paused.",
    "fields": []
  },
  {
    "category": "emergency_exit",
    "name": "Emergency exit",
    "description": "An emergency liquidity exit that is armed.",
    "fields": []
  },
  {
    "category": "merkle",
    "name": "Merkle root",
    "description": "A merkle root that could not be generated or published, or was vetoed.",
    "fields": []
  },
  {
    "category": "execution",
    "name": "Execution",
    "description": "Intents of a strategy that fail again and again.",
    "fields": [
      {
        "key": "failures",
        "label": "Warning after failed intents",
        "description": "Failed or aborted intents of a strategy that are a warning; twice as many are critical.",
        "unit": "count",
        "default": 3
      },
      {
        "key": "window_seconds",
        "label": "within",
        "description": "Within how long.",
        "unit": "seconds",
        "default": 900
      }
    ]
  },
  {
    "category": "price",
    "name": "Price",
    "description": "A price per share that fell, or jumped.",
    "fields": [
      {
        "key": "window_seconds",
        "label": "Within",
        "description": "How long back the price is compared with the highest and the lowest that it was.",
        "unit": "seconds",
        "default": 86400
      },
      {
        "key": "warning_drop_fraction",
        "label": "Warning after a fall of more than",
        "description": "Fall at which it is a warning.",
        "unit": "share",
        "default": 0.0005
      },
      {
        "key": "critical_drop_fraction",
        "label": "Critical after a fall of more than",
        "description": "Fall at which it is critical.",
        "unit": "share",
        "default": 0.005
      },
      {
        "key": "jump_fraction",
        "label": "Warning after a rise of more than",
        "description": "Rise at which it is a warning.",
        "unit": "share",
        "default": 0.02
      }
    ]
  },
  {
    "category": "losses",
    "name": "Losses",
    "description": "Losses and bad debt.",
    "fields": [
      {
        "key": "loss_fraction",
        "label": "Critical when more is lost than",
        "description": "Part of the total assets; a loss of more is critical, one of less is not told.",
        "unit": "share",
        "default": 0.00001
      },
      {
        "key": "resolve_after_seconds",
        "label": "Resolve after",
        "description": "After how long what happened once is resolved, unless it was acknowledged before.",
        "unit": "seconds",
        "default": 86400
      }
    ]
  },
  {
    "category": "liquidity",
    "name": "Liquidity",
    "description": "Exits that could not be paid, or wait.",
    "fields": [
      {
        "key": "warning_min_withdrawable_fraction",
        "label": "Warning when less can be withdrawn than",
        "description": "Part of the total assets that can be withdrawn at once, below which it is a warning.",
        "unit": "share",
        "default": 0.02
      },
      {
        "key": "critical_min_withdrawable_fraction",
        "label": "Critical when less can be withdrawn than",
        "description": "Part of the total assets that can be withdrawn at once, below which it is critical.",
        "unit": "share",
        "default": 0.005
      },
      {
        "key": "max_utilisation_fraction",
        "label": "Warning when more is in use than",
        "description": "Part of the total assets that cannot be withdrawn at once, above which it is a warning; null: off.",
        "unit": "share_or_off",
        "default": null
      },
      {
        "key": "max_pending_fraction",
        "label": "Warning when more waits to leave than",
        "description": "Part of the shares whose holders wait to be paid, above which it is a warning; null: off.",
        "unit": "share_or_off",
        "default": null
      },
      {
        "key": "max_request_age_seconds",
        "label": "Warning when a request waits for more than",
        "description": "How long a request to leave may wait.",
        "unit": "seconds",
        "default": 86400
      }
    ]
  },
  {
    "category": "flows",
    "name": "Flows",
    "description": "Large deposits and withdrawals, and shares that were made for nothing.",
    "fields": [
      {
        "key": "single_usd",
        "label": "Tell of a flow of more than",
        "description": "US dollars that one transaction brought or took, above which it is told; where no price of the asset is known it is not asked.",
        "unit": "usd",
        "default": 500000
      },
      {
        "key": "single_fraction",
        "label": "Warning at a flow of more than",
        "description": "Part of the shares before it that one transaction made or destroyed, above which it is a warning; where the price of the asset is known, only above 50,000 US dollars.",
        "unit": "share",
        "default": 0.1
      },
      {
        "key": "supply_fraction",
        "label": "Critical when shares grow for nothing by more than",
        "description": "Part of the shares that were made within an hour without deposits, fees or settlements, above which it is critical.",
        "unit": "share",
        "default": 0.05
      },
      {
        "key": "resolve_after_seconds",
        "label": "Resolve after",
        "description": "After how long what happened once is resolved, unless it was acknowledged before.",
        "unit": "seconds",
        "default": 86400
      }
    ]
  },
  {
    "category": "tvl",
    "name": "Total assets",
    "description": "Total assets that moved, deposits and withdrawals taken off.",
    "fields": [
      {
        "key": "window_seconds",
        "label": "Within",
        "description": "How long back the total assets are compared with the most and the least that they were.",
        "unit": "seconds",
        "default": 3600
      },
      {
        "key": "change_fraction",
        "label": "Warning after a change of more than",
        "description": "Change of the total assets, deposits and withdrawals taken off, at which it is a warning.",
        "unit": "share",
        "default": 0.15
      }
    ]
  },
  {
    "category": "governance",
    "name": "Governance",
    "description": "Changes of a vault's governance: submitted, executable, executed, revoked.",
    "fields": [
      {
        "key": "notice_seconds",
        "label": "Tell this long before a change can be executed",
        "description": "How long before a submitted change can be executed it is told again, as a warning.",
        "unit": "seconds",
        "default": 86400
      },
      {
        "key": "known_actors",
        "label": "Who may propose",
        "description": "Accounts that propose changes. A proposal of anybody else is critical; none: nobody is asked about.",
        "unit": "addresses",
        "default": []
      },
      {
        "key": "resolve_after_seconds",
        "label": "Resolve after",
        "description": "After how long what happened once is resolved, unless it was acknowledged before.",
        "unit": "seconds",
        "default": 86400
      }
    ]
  },
  {
    "category": "allocation",
    "name": "Allocation",
    "description": "Assets that lie where they should not.",
    "fields": [
      {
        "key": "max_idle_fraction",
        "label": "Warning when more is idle than",
        "description": "Part of the total assets that is idle, above which for `idle_seconds` it is a warning; null: off.",
        "unit": "share_or_off",
        "default": null
      },
      {
        "key": "idle_seconds",
        "label": "For",
        "description": "How long so much has to be idle.",
        "unit": "seconds",
        "default": 86400
      },
      {
        "key": "targets",
        "label": "Targets",
        "description": "The part of the total assets that each position should have, by its id.",
        "unit": "fractions",
        "default": {}
      },
      {
        "key": "drift_fraction",
        "label": "Warning when a position is away from its target by more than",
        "description": "Part of the total assets by which a position may be away from its target; null: off.",
        "unit": "share_or_off",
        "default": null
      },
      {
        "key": "cap_fraction",
        "label": "Tell when a cap is full by more than",
        "description": "Part of a position's cap that is used, above which it is told; null: off.",
        "unit": "share_or_off",
        "default": null
      }
    ]
  },
  {
    "category": "system",
    "name": "System",
    "description": "The service itself: outages, chains, the audit log, queues and deliveries.",
    "fields": null
  }
] as const;
