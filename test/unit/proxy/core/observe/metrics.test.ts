// Tests the metrics of requests in Prometheus' text format.

import { describe, expect, it } from 'vitest';
import { createRequestCounts } from '../../../../../proxy/core/observe/metrics.ts';
import { formatMetrics } from '../../../../../proxy/core/observe/metrics-text.ts';

describe('formatMetrics', () => {
  it('formatMetrics escapes labels and help, and omits families without samples', () => {
    const text = formatMetrics([
      {
        name: 'a_total',
        type: 'counter',
        help: 'one\ntwo \\ three',
        samples: [{ labels: { path: 'a"b\\c\nd', other: 'x' }, value: 3 }, { value: 1.5 }],
      },
      { name: 'b', type: 'gauge', help: 'none', samples: [] },
      {
        name: 'c',
        type: 'gauge',
        help: 'odd',
        samples: [{ value: Number.NaN }, { value: Number.POSITIVE_INFINITY }, { value: Number.NEGATIVE_INFINITY }],
      },
    ]);
    expect(text).toBe(
      '# HELP a_total one\\ntwo \\\\ three\n# TYPE a_total counter\na_total{path="a\\"b\\\\c\\nd",other="x"} 3\na_total 1.5\n# HELP c odd\n# TYPE c gauge\nc NaN\nc +Inf\nc -Inf\n',
    );
  });
});

describe('createRequestCounts', () => {
  const whole = (bytes: number) => ({ bytes, aborted: false });

  it('requests are counted by route, status and kind of token, with bytes and aborted answers', () => {
    const counts = createRequestCounts();
    counts.answered('provider', 200, 'read', whole(100), 1);
    counts.answered('provider', 200, 'read', whole(100), 1);
    counts.answered('provider', 304, 'write', whole(0), 1);
    counts.answered('dist', 200, 'read', { bytes: 7, aborted: true }, 1);
    counts.answered('root', 401, undefined, whole(50), 1);
    counts.malformed(431);
    const lines = formatMetrics(counts.families()).split('\n');
    expect(lines.filter((line) => /^libretto_requests_total.* [^0]/.test(line))).toEqual([
      'libretto_requests_total{route="root",status="401",token="none"} 1',
      'libretto_requests_total{route="provider",status="200",token="read"} 2',
      'libretto_requests_total{route="provider",status="304",token="write"} 1',
      'libretto_requests_total{route="dist",status="200",token="read"} 1',
      'libretto_requests_total{route="refused",status="431",token="none"} 1',
    ]);
    expect(lines).toContain('libretto_response_bytes_total{route="provider"} 200');
    expect(lines).toContain('libretto_requests_aborted_total{route="dist"} 1');
    expect(lines).toContain('libretto_requests_aborted_total{route="provider"} 0');
  });

  it('refusals and errors are counted from 0 for each route and kind of token', () => {
    const lines = formatMetrics(createRequestCounts(['api']).families()).split('\n');
    const zeros = lines.filter((line) => line.startsWith('libretto_requests_total'));
    expect(zeros).toHaveLength(8 * 3 * 4); // routes, kinds, statuses
    expect(zeros).toContain('libretto_requests_total{route="api",status="429",token="write"} 0');
  });

  it('durations are a cumulative histogram in seconds', () => {
    const counts = createRequestCounts();
    for (const ms of [0.2, 1, 1.1, 70_000]) counts.answered('dist', 200, 'read', whole(0), ms);
    const lines = formatMetrics(counts.families())
      .split('\n')
      .filter((line) => line.startsWith('libretto_request_duration_seconds'));
    const bucket = (le: string): string => lines.find((line) => line.includes(`le="${le}"`)) ?? '';
    expect(bucket('0.0005')).toMatch(/route="dist",le="0.0005"\} 1$/);
    expect(bucket('0.001')).toMatch(/ 2$/);
    expect(bucket('0.0025')).toMatch(/ 3$/);
    expect(bucket('60')).toMatch(/ 3$/);
    expect(bucket('+Inf')).toMatch(/ 4$/);
    expect(lines.slice(-2)).toEqual([
      'libretto_request_duration_seconds_sum{route="dist"} 70.0023',
      'libretto_request_duration_seconds_count{route="dist"} 4',
    ]);
  });
});
