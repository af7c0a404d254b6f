// Tests that JSON read in chunks equals the result of JSON.parse, for any valid and any faulty text.

import { fc } from '../util/seeded-check.ts';
import { expect, it } from 'vitest';
import { parseJsonYielding } from '../../build/shared/json/incremental-json.ts';

type Outcome = { readonly value: unknown } | 'refused';

function whole(text: string): Outcome {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'refused';
  }
}

async function inPieces(text: string, piece: number): Promise<Outcome> {
  try {
    return { value: await parseJsonYielding(Buffer.from(text), piece) };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return 'refused';
  }
}

const documents = fc
  .jsonValue({ maxDepth: 6 })
  .chain((value) => fc.constantFrom(0, 1, 4).map((indent) => JSON.stringify(value, null, indent)));

it('JSON read in chunks equals the result of JSON.parse', async () => {
  await fc.assert(
    fc.asyncProperty(documents, fc.integer({ min: 1, max: 60 }), async (text, piece) => {
      expect(await inPieces(text, piece)).toEqual(whole(text));
    }),
    { numRuns: 500 },
  );
});

it('JSON read in chunks equals the result of JSON.parse after random edits', async () => {
  const change = fc.tuple(
    fc.nat(),
    fc.nat({ max: 3 }),
    fc.constantFrom('', ',', '}', ']', '{', '[', '"', ':', '\\', '0', ' ', ',]', ',}', 'null', '"__proto__":1,'),
  );
  await fc.assert(
    fc.asyncProperty(documents, change, fc.integer({ min: 1, max: 60 }), async (text, [at, length, put], piece) => {
      const changed = text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + length);
      expect(await inPieces(changed, piece)).toEqual(whole(changed));
    }),
    { numRuns: 2000 },
  );
});

it.each([
  '[1,2,]',
  '{"a":1,}',
  '[,1]',
  '[[1],]',
  '[1 2]',
  '[1]]',
  '[1]x',
  '{"a" 1}',
  '{1:2}',
  '[',
  '{"a":',
  '["a',
  '\uFEFF[1]',
  '{"a":[1,2],"a":[3,4],"__proto__":[5,6]}',
  '[[[[[[[[[[[[[[[[[[[[[[[[1,2],3]]]]]]]]]]]]]]]]]]]]]]]',
  '{"2":[1],"1":[2]}',
])('JSON read in chunks equals the result of JSON.parse: %s', async (text) => {
  for (let piece = 1; piece < text.length; piece += 1) {
    const found = await inPieces(text, piece);
    expect(found).toEqual(whole(text));
    expect(JSON.stringify(found)).toBe(JSON.stringify(whole(text)));
  }
});
