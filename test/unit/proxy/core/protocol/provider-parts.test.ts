// Tests the removal of versions from a p2 document: the remaining bytes are those that were published.

import { describe, expect, it } from 'vitest';
import { parsePackageName } from '../../../../../build/contract/name.ts';
import { createSlices, type InSlices } from '../../../../../build/shared/concurrency/yielding.ts';
import { digestOf } from '../../../../../build/shared/text/digest-of.ts';
import { readProviderParts } from '../../../../../proxy/core/protocol/provider-parts.ts';

const inSlices = createSlices();
const name = parsePackageName('acme/core') ?? expect.unreachable();
const record = (version: string, more = ''): string =>
  `{"name":"acme/core","version":"${version}","version_normalized":"${version}.0","dist":{"reference":"ref-${version}"}${more}}`;

async function without(text: string, ...hidden: readonly string[]): Promise<string | undefined> {
  const bytes = Buffer.from(text);
  const parts = await readProviderParts(bytes, name, inSlices);
  const cut = await parts.without(new Set(parts.versions.filter(({ version }) => hidden.includes(version))), bytes);
  if (cut !== undefined) expect(cut.sha256).toBe(digestOf(cut.bytes));
  return cut?.bytes.toString();
}

describe('a p2 document without some of its versions', () => {
  const [one, two, three] = [
    record('1.0.0', ',"big":9007199254740993,"text":"}]\\"{ \\u00e9 é","list":[1,[2,{"a":"\\\\"}]]'),
    record('2.0.0'),
    record('3.0.0', ',"extra":{"2.0.0":{}}'),
  ];
  const text = `{"packages":{"acme/core":{"3.0.0":${three},"2.0.0":${two},"1.0.0":${one}}},"minified":"no"}\n`;

  it('consists of the published bytes, to the last digit', async () => {
    expect(await without(text, '2.0.0')).toBe(
      `{"packages":{"acme/core":{"3.0.0":${three},"1.0.0":${one}}},"minified":"no"}\n`,
    );
    expect(await without(text, '3.0.0')).toBe(
      `{"packages":{"acme/core":{"2.0.0":${two},"1.0.0":${one}}},"minified":"no"}\n`,
    );
    expect(await without(text, '1.0.0', '3.0.0')).toBe(`{"packages":{"acme/core":{"2.0.0":${two}}},"minified":"no"}\n`);
    expect(await without(text)).toBe(text);
  });

  it('is read and made version by version where it is large, so that other requests have their turns', async () => {
    let slices = 0;
    const counted: InSlices = async (work) => ((slices += 1), work());
    const large = Buffer.from(`${text}${' '.repeat(300_000)}`);
    const parts = await readProviderParts(large, name, counted);
    expect(slices).toBe(4);
    await parts.without(new Set(parts.versions.slice(1, 2)), large);
    expect(slices).toBeGreaterThan(4 + 2);
  });

  it('is absent where no version is left', async () => {
    expect(await without(text, '1.0.0', '2.0.0', '3.0.0')).toBeUndefined();
    expect(await without('{"packages":{"acme/core":{}}}')).toBeUndefined();
  });

  it('has label, normalized version and reference of each version', async () => {
    expect(
      (await readProviderParts(Buffer.from(text), name, inSlices)).versions.map(
        ({ version, version_normalized: normalized, reference }) => [version, normalized, reference],
      ),
    ).toEqual(['3.0.0', '2.0.0', '1.0.0'].map((version) => [version, `${version}.0`, `ref-${version}`]));
  });

  it('may contain blanks wherever JSON allows them', async () => {
    expect(JSON.parse((await without(JSON.stringify(JSON.parse(text), null, 2), '2.0.0')) ?? '')).toEqual(
      JSON.parse((await without(text, '2.0.0')) ?? ''),
    );
  });

  it.each([
    '',
    '[]',
    '{}',
    '{"packages":{}}',
    '{"packages":{"acme/other":{}}}',
    text.slice(0, -40),
    `{"packages":{"acme/core":{"1":7}}}`,
    '{"packages":{"acme/core":[]}}',
  ])('cannot be made of %j', async (broken) => {
    await expect(without(broken, '1.0.0')).rejects.toThrow();
  });
});
