// Tests the settings of the origin and its credential; no message shows a secret.

import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../cli/config/config.ts';

const load = (environment: Readonly<Record<string, string>>) =>
  loadConfig({ flags: {}, environment, workingDirectory: '/nonexistent' });

describe('the settings of an origin', () => {
  it('are an address, its credential, and the interval of requests', async () => {
    const { origin, originAuthorization, originCheck } = await load({
      LIBRETTO_ORIGIN: 'https://reader:pass-word@tree.internal/libretto/',
      LIBRETTO_ORIGIN_AUTHORIZATION: 'Bearer of-the-tree',
      LIBRETTO_ORIGIN_CHECK: '250',
    });
    expect([
      origin.value?.url,
      origin.value?.authorization?.reveal(),
      originAuthorization.value?.reveal(),
      originCheck.value,
    ]).toEqual(['https://tree.internal/libretto', `Basic ${btoa('reader:pass-word')}`, 'Bearer of-the-tree', 250]);
    expect(JSON.stringify([origin, originAuthorization])).not.toMatch(/pass-word|of-the-tree/);
  });

  it('may name an object store, and the size from which it sends archives itself', async () => {
    const raw = 's3://packages/registry?endpoint=https://s3.example.org&region=eu-central-1';
    const { origin, originRedirectAbove } = await load({
      LIBRETTO_ORIGIN: raw,
      LIBRETTO_ORIGIN_REDIRECT_ABOVE: '1048576',
    });
    expect([origin.value?.url, origin.value?.store, originRedirectAbove.value]).toEqual([
      's3://packages/registry',
      { raw, text: 's3://packages/registry', endpoint: 'https://s3.example.org', region: 'eu-central-1' },
      1_048_576,
    ]);
    const refusal = await load({ LIBRETTO_ORIGIN: 's3://key:pass-word@packages/registry' }).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(refusal).toContain('LIBRETTO_ORIGIN is no address of an object store');
    expect(refusal).not.toContain('pass-word');
    expect(refusal.match(/LIBRETTO_ORIGIN /g)).toHaveLength(1);
  });

  it('are refused without showing their secrets', async () => {
    const refusal = await load({
      LIBRETTO_ORIGIN: 'https://reader:pass-word@tree.internal/?list',
      LIBRETTO_ORIGIN_AUTHORIZATION: 'Bearer of-the-\ntree',
      LIBRETTO_ORIGIN_CHECK: '1',
    }).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(refusal).toContain('LIBRETTO_ORIGIN is "https://***@tree.internal/?***"; allowed: http(s)://');
    expect(refusal).toContain('LIBRETTO_ORIGIN_AUTHORIZATION is not the value of a header');
    expect(refusal).toContain('LIBRETTO_ORIGIN_CHECK is "1"; allowed: a whole number from 100 to 600000.');
    expect(refusal).not.toMatch(/pass-word|of-the/);
  });
});
