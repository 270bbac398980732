/** For each alert: series that make it fire, with its words, and series at which it is silent. One value stands for a minute. */

export interface AlertCase {
  /** In Prometheus' notation for tests: `0+5x120` begins at 0 and adds 5 a minute. */
  series: Record<string, string>;
  /** All is well, or nearly. */
  quiet: Record<string, string>;
  /** The expression is true, but not for long enough. */
  pending?: string;
  fires: string;
  /** Those besides the severity. */
  labels?: Record<string, string>;
  summary: string;
}

/** Returns the series of two processes, which read the same number from the database. */
const joinBoth = (metric: string, values: string): Record<string, string> => ({
  [`${metric}{instance="a:4000"}`]: values,
  [`${metric}{instance="b:4000"}`]: values,
});

export const ALERT_CASES: Record<string, AlertCase> = {
  BusbarDown: {
    series: { 'up{job="busbar",instance="a:4000"}': "1 1 0x60", 'up{job="other",instance="b:80"}': "0x60" },
    quiet: { 'up{job="busbar",instance="a:4000"}': "1x130" },
    pending: "2m",
    fires: "4m",
    labels: { job: "busbar", instance: "a:4000" },
    summary: "a:4000 does not answer.",
  },
  BusbarDatabaseDown: {
    series: { 'busbar_database_up{instance="a:4000"}': "1 0x60" },
    quiet: { 'busbar_database_up{instance="a:4000"}': "1x130" },
    pending: "1m",
    fires: "3m",
    labels: { instance: "a:4000" },
    summary: "a:4000 cannot use PostgreSQL: requests are answered with 503.",
  },
  BusbarShardAway: {
    series: {
      'busbar_shard_up{instance="a:4000",shard="b"}': "1 0x60",
      'busbar_shard_up{instance="a:4000",shard="c"}': "1x130",
    },
    quiet: { 'busbar_shard_up{instance="a:4000",shard="b"}': "1x130" },
    pending: "1m",
    fires: "4m",
    labels: { shard: "b" },
    summary: "The database of the shard b cannot be used: its customers are refused.",
  },
  BusbarClockWrong: {
    series: { 'busbar_clock_ahead_seconds{instance="a:4000"}': "-6x60" },
    quiet: { 'busbar_clock_ahead_seconds{instance="a:4000"}': "4x130" },
    pending: "1m",
    fires: "4m",
    labels: { instance: "a:4000" },
    summary: "The clock of a:4000 differs from PostgreSQL's by 6 s.",
  },
  BusbarWritesPileUp: {
    series: joinBoth("busbar_writes_queued", "0+100x120"),
    // Many, and they become fewer.
    quiet: joinBoth("busbar_writes_queued", "9000-10x130"),
    pending: "15m",
    fires: "25m",
    summary: "2500 asynchronous writes wait, and their number grows.",
  },
  BusbarWritesWait: {
    series: joinBoth("busbar_writes_queued_seconds", "0+60x120"),
    quiet: joinBoth("busbar_writes_queued_seconds", "900x130"),
    pending: "18m",
    fires: "30m",
    summary: "An asynchronous write has been waiting for 30m 0s.",
  },
  BusbarCustomersUnhealthy: {
    series: {
      'busbar_installations_unhealthy{reason="connection",instance="a:4000"}': "3x60",
      'busbar_installations_unhealthy{reason="connection",instance="b:4000"}': "3x60",
      'busbar_installations_unhealthy{reason="read",instance="a:4000"}': "0x60",
    },
    quiet: { 'busbar_installations_unhealthy{reason="read",instance="a:4000"}': "0 2x10 0x130" },
    pending: "10m",
    fires: "20m",
    labels: { reason: "connection" },
    summary: "3 installations are unhealthy (connection): data of customers does not flow.",
  },
  BusbarDeliveriesPileUp: {
    series: joinBoth("busbar_deliveries_queued", "0+1000x120"),
    quiet: joinBoth("busbar_deliveries_queued", "90000-10x130"),
    pending: "20m",
    fires: "30m",
    summary: "30000 deliveries wait, and their number grows.",
  },
  BusbarDeliveriesRetry: {
    series: { 'busbar_delivery_attempts_total{state="waiting"}': "0+1x120" },
    quiet: {
      'busbar_delivery_attempts_total{state="waiting"}': "7x130",
      'busbar_delivery_attempts_total{state="delivered"}': "0+9x130",
    },
    pending: "15m",
    fires: "45m",
    summary: "20 attempts to deliver failed within 20 minutes and will be repeated.",
  },
  BusbarDeliveriesFail: {
    series: { 'busbar_delivery_attempts_total{state="failed"}': "0x10 1x120" },
    quiet: { 'busbar_delivery_attempts_total{state="failed"}': "7x130" },
    pending: "12m",
    fires: "20m",
    summary: "Deliveries failed for good: all their attempts are used up.",
  },
  BusbarOperationsFail: {
    series: {
      'busbar_operations_ended_total{status="success"}': "0+5x120",
      'busbar_operations_ended_total{status="failure"}': "0+5x120",
    },
    // Half of very few.
    quiet: {
      'busbar_operations_ended_total{status="success"}': "0+1x130",
      'busbar_operations_ended_total{status="failure"}': "0+1x130",
    },
    pending: "10m",
    fires: "30m",
    summary: "50% of the operations fail.",
  },
  BusbarTokensFail: {
    series: { 'busbar_token_refreshes_total{outcome="failed"}': "0+1x120" },
    quiet: {
      'busbar_token_refreshes_total{outcome="failed"}': "5x130",
      'busbar_token_refreshes_total{outcome="refreshed"}': "0+90x130",
    },
    fires: "40m",
    summary: "30 customers' tokens could not be refreshed in half an hour; they have to connect again.",
  },
  BusbarReadsLag: {
    series: joinBoth("busbar_read_lag_seconds", "7260x120"),
    quiet: joinBoth("busbar_read_lag_seconds", "7200x130"),
    pending: "10m",
    fires: "20m",
    summary: "A scheduled read is 2h 1m 0s behind.",
  },
  BusbarChangesLate: {
    series: { 'busbar_subscribe_position_age_seconds{source="pubsub",instance="a:4000"}': "1860x120" },
    quiet: { 'busbar_subscribe_position_age_seconds{source="polling",instance="a:4000"}': "1800x130" },
    pending: "10m",
    fires: "20m",
    labels: { source: "pubsub" },
    summary: "Changes of a subscription (pubsub) are known only up to 31m 0s ago.",
  },
  BusbarEventsWait: {
    series: joinBoth("busbar_subscribe_events_waiting_seconds", "960x120"),
    quiet: joinBoth("busbar_subscribe_events_waiting_seconds", "900x130"),
    pending: "10m",
    fires: "20m",
    summary: "Events of providers wait for 16m 0s to be delivered, although nothing prevents it.",
  },
  BusbarPushesWait: {
    series: joinBoth("busbar_subscribe_pushes_waiting_seconds", "360x120"),
    quiet: joinBoth("busbar_subscribe_pushes_waiting_seconds", "300x130"),
    pending: "3m",
    fires: "10m",
    summary: "Events of pushes wait for 6m 0s to be stored for their installations.",
  },
  BusbarPushesSetAside: {
    series: joinBoth("busbar_subscribe_pushes_set_aside", "2x10"),
    quiet: joinBoth("busbar_subscribe_pushes_set_aside", "0x130"),
    fires: "1m",
    summary: "2 pushes could not be taken apart; their changes are found by reading.",
  },
  BusbarOutboxWaits: {
    series: joinBoth("busbar_outbox_entries_waiting_seconds", "180x60"),
    quiet: joinBoth("busbar_outbox_entries_waiting_seconds", "120x130"),
    pending: "3m",
    fires: "10m",
    summary: "Changes wait for 3m 0s for the events and reads that they cause.",
  },
  BusbarPushesRefused: {
    series: { 'busbar_subscribe_pushes_refused_total{reason="signature"}': "0+10x60" },
    quiet: { 'busbar_subscribe_pushes_refused_total{reason="signature"}': "0+3x130" },
    fires: "30m",
    labels: { reason: "signature" },
    summary: "150 pushes were refused in 15 minutes (signature).",
  },
  BusbarProxySlow: {
    series: {
      'busbar_proxy_call_duration_seconds_bucket{le="10"}': "0x60",
      'busbar_proxy_call_duration_seconds_bucket{le="30"}': "0+10x60",
      'busbar_proxy_call_duration_seconds_bucket{le="+Inf"}': "0+10x60",
    },
    quiet: {
      'busbar_proxy_call_duration_seconds_bucket{le="10"}': "0+10x130",
      'busbar_proxy_call_duration_seconds_bucket{le="30"}': "0+10x130",
      'busbar_proxy_call_duration_seconds_bucket{le="+Inf"}': "0+10x130",
    },
    pending: "10m",
    fires: "30m",
    // 10 s and 99 % of the way to 30 s.
    summary: "One proxied call of a hundred takes longer than 29.8s.",
  },
  BusbarUsageLinesLost: {
    series: { 'busbar_proxy_usage_lines_dropped_total{instance="a:4000"}': "0x5 9x60" },
    quiet: { 'busbar_proxy_usage_lines_dropped_total{instance="a:4000"}': "9x130" },
    fires: "7m",
    labels: { instance: "a:4000" },
    summary: "a:4000 dropped lines of the proxy's usage log.",
  },
  BusbarEventLoopBlocked: {
    series: { 'nodejs_eventloop_lag_p99_seconds{instance="a:4000"}': "0.6x60" },
    quiet: { 'nodejs_eventloop_lag_p99_seconds{instance="a:4000"}': "0.4x130" },
    pending: "5m",
    fires: "15m",
    labels: { instance: "a:4000" },
    summary: "a:4000 has too little CPU.",
  },
};
