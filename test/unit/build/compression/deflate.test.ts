// Tests that every inflater restores the compressed contents, whichever contents the compressor read before.

import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCompressor, type Compressor } from '../../../../build/compression/compressor.ts';
import { deflateTo } from '../../../../build/compression/deflate.ts';
import { incompressibleBytes } from '../../../util/incompressible-bytes.ts';

const compressor = createCompressor();
const { stepBytes } = compressor;

function roundTrip(
  content: Uint8Array,
  by: Compressor = compressor,
): { readonly method: number; readonly length: number; readonly same: boolean } {
  const out = Buffer.alloc(content.length + 20, 0xaa);
  const { method, length, size } = deflateTo(out, 10, content, by);
  const bytes = out.subarray(10, 10 + length);
  const untouched =
    out.subarray(0, 10).every((byte) => byte === 0xaa) &&
    out.subarray(10 + content.length).every((byte) => byte === 0xaa);
  return {
    method,
    length,
    same: size === content.length && untouched && (method === 8 ? inflateRawSync(bytes) : bytes).equals(content),
  };
}

describe('a deflated content', () => {
  it.each([
    0,
    1,
    2,
    54,
    55,
    56,
    1000,
    65_535,
    65_536,
    300_000,
    stepBytes - 1,
    stepBytes,
    stepBytes + 1,
    3 * stepBytes + 7,
  ])('deflated text of %i bytes inflates to the same bytes', (size) => {
    expect(roundTrip(Buffer.alloc(size, 'abc abd abe '))).toMatchObject({ same: true, method: size > 20 ? 8 : 0 });
  });

  it.each([1, 100, 70_000, 2 * stepBytes + 5])('noise of %i bytes is stored without compression', (size) => {
    expect(roundTrip(incompressibleBytes(size))).toEqual({ method: 0, length: size, same: true });
  });

  it('contents may alternate between compressible and incompressible parts', () => {
    const mixed = Buffer.concat([
      Buffer.alloc(stepBytes - 3, 'text '),
      incompressibleBytes(stepBytes + 9),
      Buffer.alloc(200_000, 'more '),
      incompressibleBytes(90_000),
      Buffer.alloc(9, 'x'),
    ]);
    expect(roundTrip(mixed)).toMatchObject({ method: 8, same: true });
  });

  it('the deflated bytes of a content do not depend on earlier contents', () => {
    const content = Buffer.from('public function name(): string '.repeat(50));
    const first = roundTrip(content, createCompressor());
    roundTrip(incompressibleBytes(2 * stepBytes + 1));
    expect(roundTrip(content)).toEqual(first);
  });
});
