// Tests the request counts of the pipeline: every answer counts once, including those that never became a request.

import { expect, it } from 'vitest';
import { createRequestCounts } from '../../proxy/core/observe/metrics.ts';
import { formatMetrics } from '../../proxy/core/observe/metrics-text.ts';
import { exchange } from '../util/raw-client.ts';
import { runProxy } from '../util/running-proxy.ts';

it('every answer is counted once, by route and result, without path and token', async () => {
  const counts = createRequestCounts();
  await using served = await runProxy({ counts, tokens: { reader: 3, unlimited: 0 } });
  served.tree.publish();
  await served.get('/packages.json');
  await served.get('/packages.json', { authorization: '' });
  await served.get('/packages.json', { authorization: 'Bearer nobody-knows-me' });
  await served.get('/health', { authorization: '' });
  await served.get('/p2/acme/private-name.json');
  await served.get('/../etc/private-name');
  await served.get('/packages.json'); // the fourth counted answer
  await exchange(served.port, 'GET /packages.json HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
  await exchange(served.port, 'nonsense\r\n\r\n');
  const text = formatMetrics(counts.families());
  expect(text.split('\n').filter((line) => /^libretto_requests_total.* [^0]/.test(line))).toEqual([
    'libretto_requests_total{route="root",status="401",token="none"} 2',
    'libretto_requests_total{route="root",status="200",token="read"} 1',
    'libretto_requests_total{route="root",status="429",token="read"} 1',
    'libretto_requests_total{route="provider",status="404",token="read"} 1',
    'libretto_requests_total{route="health",status="200",token="none"} 1',
    'libretto_requests_total{route="unknown",status="404",token="read"} 1',
    'libretto_requests_total{route="refused",status="400",token="none"} 2',
  ]);
  expect(text).toContain('libretto_request_duration_seconds_count{route="root"} 4\n');
  expect(text).not.toMatch(/private-name|nobody|reader/);
  expect(served.proxy.connections()).toBeGreaterThan(0);
});
