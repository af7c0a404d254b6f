// Tests the metrics of several processes in one document.

import { expect, it } from 'vitest';
import { lastingCounts, mergeMetrics } from '../../../../cli/cluster/worker-metrics.ts';
import { formatMetrics, type Family } from '../../../../proxy/core/observe/metrics-text.ts';

const families = (requests: number, rss: number, degraded: number): Family[] => [
  {
    name: 'requests_total',
    type: 'counter',
    help: 'R.',
    samples: [
      { labels: { route: 'root' }, value: requests },
      { suffix: '_x', value: 1 },
    ],
  },
  { name: 'connections', type: 'gauge', help: 'C.', samples: [{ value: 2 }] },
  { name: 'degraded', type: 'gauge', help: 'D.', samples: [{ value: degraded }] },
  { name: 'process_memory', type: 'gauge', help: 'P.', samples: [{ value: rss }] },
  {
    name: 'libretto_event_loop_delay_seconds',
    type: 'gauge',
    help: 'E.',
    samples: [{ labels: { quantile: '1' }, value: 0.1 }],
  },
];

it('merged metrics add up counters, list gauges by process, and report a flag that one process sets', () => {
  const text = formatMetrics(
    mergeMetrics(
      [
        { name: 'worker 1', families: families(3, 10, 0) },
        {
          name: 'worker 2',
          families: [
            ...families(4, 20, 1),
            { name: 'only_here', type: 'counter', help: 'O.', samples: [{ value: 1 }] },
          ],
        },
      ],
      ['degraded'],
    ),
  );
  expect(text).toBe(`# HELP requests_total R.
# TYPE requests_total counter
requests_total{route="root"} 7
requests_total_x 2
# HELP connections C.
# TYPE connections gauge
connections 4
# HELP degraded D.
# TYPE degraded gauge
degraded 1
# HELP process_memory P.
# TYPE process_memory gauge
process_memory{process="worker 1"} 10
process_memory{process="worker 2"} 20
# HELP libretto_event_loop_delay_seconds E.
# TYPE libretto_event_loop_delay_seconds gauge
libretto_event_loop_delay_seconds{quantile="1",process="worker 1"} 0.1
libretto_event_loop_delay_seconds{quantile="1",process="worker 2"} 0.1
# HELP only_here O.
# TYPE only_here counter
only_here 1
`);
});

it('only the counters of an ended process stay in the merged metrics', () => {
  expect(lastingCounts(families(3, 10, 0)).map(({ name }) => name)).toEqual(['requests_total']);
});
