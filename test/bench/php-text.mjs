// Text that compresses as PHP code does, repeated shapes with changing names and numbers, and the seeded random numbers
// it is made of.

const words = [
  'order',
  'invoice',
  'customer',
  'address',
  'total',
  'amount',
  'item',
  'price',
  'stock',
  'label',
  'status',
  'event',
  'query',
  'result',
  'filter',
  'value',
  'range',
  'index',
  'token',
  'cursor',
];

/** A class of about `bytes` bytes. `random` gives numbers from 0 to 1. */
export function phpClass({ namespace, name, constant, bytes }, random) {
  const word = () => words[Math.floor(random() * words.length)];
  const lines = [
    '<?php',
    '',
    'declare(strict_types=1);',
    '',
    `namespace ${namespace};`,
    '',
    `final class ${name}`,
    '{',
    `    public const RELEASE = ${constant};`,
  ];
  let size = 150;
  while (size < bytes) {
    const [method, first, second] = [word(), word(), word()];
    const text = [
      '',
      '    /**',
      `     * Gives the ${first} of this ${second}, or ${Math.floor(random() * 1e9).toString(36)} where there is none.`,
      '     */',
      `    public function ${method}${Math.floor(random() * 1e6)}(int $${first}, string $${second}): string`,
      '    {',
      `        return sprintf('%s-%d', strtoupper($${second}), $${first} * ${Math.floor(random() * 1000)});`,
      '    }',
    ].join('\n');
    lines.push(text);
    size += text.length + 1;
  }
  return `${lines.join('\n')}\n}\n`;
}

export function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
