// Tests the four cases that tell what a store can do, on each dialect, and what is said of them.

import { afterEach, describe, expect, it } from 'vitest';
import { judgeProbe, probeStore, type ProbeResult, type ProbeVerdict } from '../../../../build/store/probe.ts';
import {
  startHostileStore,
  type Fault,
  type HostileStore,
  type HostileStoreOptions,
} from '../../../util/hostile-store.ts';
import { openStore } from '../../../util/opened-store.ts';

const opened: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function probe(
  options: HostileStoreOptions,
  fault: HostileStore['fault'] = () => undefined,
): Promise<{ result: ProbeResult; verdict: ProbeVerdict; server: HostileStore }> {
  const server = await startHostileStore(options);
  const store = openStore(server);
  opened.push(server.close, () => store.close());
  server.fault = fault;
  const result = await probeStore(store, 'nonce');
  return { result, verdict: judgeProbe(store, result), server };
}

const able: ProbeResult = { createIfAbsent: 'works', compareAndSwap: 'works', swapOnMissing: 'refused', race: 'works' };

describe('the probe of a store', () => {
  it.each(['aws', 'ceph'] as const)('finds that %s is usable', async (dialect) => {
    const { result, verdict, server } = await probe({ dialect });
    expect([result, verdict]).toEqual([able, { verdict: 'usable' }]);
    expect([...server.objects.keys()]).toEqual([]);
  });

  it('finds that a store which replaces missing objects needs its first object created', async () => {
    const { result, verdict } = await probe({ dialect: 'minio-2024' });
    expect([result, verdict]).toEqual([{ ...able, swapOnMissing: 'written' }, { verdict: 'create-first' }]);
  });

  it('finds that a store lets two writers create one object', async () => {
    const { result, verdict, server } = await probe({ dialect: 'racy' }, () => ({ delayMs: 50 }));
    expect(result).toEqual({ ...able, race: 'ignored' });
    expect(verdict).toMatchObject({ verdict: 'unusable', sentence: expect.stringContaining('one of two writers') });
    expect([...server.objects.keys()]).toEqual([]);
  });

  it('still finds it usable while it is slow and fails', async () => {
    const faults: readonly Fault[] = [
      { status: 503 },
      { reset: 'after' },
      { status: 500, effect: true },
      { delayMs: 20 },
    ];
    const { result } = await probe({ dialect: 'aws' }, (_request, number) => faults[number % 7]);
    expect(result).toEqual(able);
  });

  it.each([
    [
      'if-none-match',
      { ...able, createIfAbsent: 'unsupported', race: 'unsupported' },
      'create an object only if there',
    ],
    ['if-match', { ...able, compareAndSwap: 'unsupported' }, 'replace only the object that was read'],
  ] as const)('finds that a store does not know %s', async (header, expected, operation) => {
    const { result, verdict } = await probe({}, ({ headers }) =>
      headers[header] === undefined ? undefined : { status: 501, code: 'NotImplemented' },
    );
    expect(result).toEqual(expected);
    expect(verdict).toMatchObject({ verdict: 'unusable' });
    const sentence = 'sentence' in verdict ? verdict.sentence : '';
    expect(sentence).toContain(`it does not ${operation}`);
    expect(sentence).toMatch(/but does not know the condition\. Use a newer version/);
  });

  it.each([
    [{ createIfAbsent: 'ignored', race: 'ignored' }, /create an object only if there is none .* writes against the/],
    [{ compareAndSwap: 'ignored' }, /replace only the object that was read .* writes against the condition/],
    [{ compareAndSwap: 'refused' }, /refuses although the condition holds/],
  ] as const)('says what a store with %j cannot do', (differs, sentence) => {
    const verdict = judgeProbe({ name: 's3://bucket' }, { ...able, ...differs });
    expect(verdict).toMatchObject({ verdict: 'unusable', sentence: expect.stringMatching(sentence) });
  });

  it.each(['PUT', 'DELETE'])('names the %s that is refused, with the right, and leaves no object', async (method) => {
    const server = await startHostileStore();
    const store = openStore(server);
    opened.push(server.close, () => store.close());
    server.fault = (request) => (request.method === method ? { status: 403, code: 'AccessDenied' } : undefined);
    await expect(probeStore(store, 'nonce')).rejects.toThrow(
      new RegExp(`^${method} s3://.* 403 AccessDenied. Allow s3:${method === 'PUT' ? 'Put' : 'Delete'}Object for its`),
    );
    expect([...server.objects.keys()]).toEqual([]);
  });

  it('fails, and says why, for what is no matter of conditions', async () => {
    const { server } = await probe({});
    server.keys.clear();
    const store = openStore(server);
    opened.push(() => store.close());
    await expect(probeStore(store, 'nonce')).rejects.toMatchObject({ kind: 'refused-credentials' });
  });
});
