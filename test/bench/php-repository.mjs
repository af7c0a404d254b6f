// A git repository like a real PHP library's, the same on every machine: 200 tags, 300 files of about 4 KB, 5 % of them changed from tag to tag.

import { spawn } from 'node:child_process';
import { run } from './measure.mjs';

const fileBytes = 4096;

/** Makes a bare repository at `path` through one git fast-import. Same seed, same commits. */
export async function makeRepository(path, { seed = 20_260_101, tags = 200, files = 300, changedShare = 0.05 } = {}) {
  const random = mulberry32(seed);
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', path]);
  const child = spawn('git', ['-C', path, '-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = new Promise((resolve, reject) => child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`git fast-import ended with ${code}`)))));
  for (let tag = 0; tag < tags; tag += 1) {
    const changed = tag === 0 ? Array.from({ length: files }, (_, index) => index) : Array.from({ length: Math.round(files * changedShare) }, () => Math.floor(random() * files));
    if (!child.stdin.write(commitText(tag, [...new Set(changed)], random))) await new Promise((resolve) => child.stdin.once('drain', resolve));
  }
  child.stdin.end();
  await ended;
}

function commitText(tag, changed, random) {
  const time = 1_700_000_000 + tag * 3600;
  const person = `Bench <bench@example.org> ${time} +0000`;
  const composerJson = JSON.stringify({ name: 'bench/library', description: 'A generated library', require: { php: '>=8.1' }, autoload: { 'psr-4': { 'Bench\\': 'src/' } } });
  const parts = [`commit refs/heads/main\ncommitter ${person}\n${data(`Release ${tag}`)}`];
  if (tag === 0) parts.push(`M 100644 inline composer.json\n${data(composerJson)}`);
  for (const index of changed) parts.push(`M 100644 inline src/Part${index % 12}/Class${index}.php\n${data(phpClass(index, tag, random))}`);
  parts.push(`tag v1.${tag}.0\nfrom refs/heads/main\ntagger ${person}\n${data(`v1.${tag}.0`)}`);
  return parts.join('');
}

const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;

const words = ['order', 'invoice', 'customer', 'address', 'total', 'amount', 'item', 'price', 'stock', 'label', 'status', 'event', 'query', 'result', 'filter', 'value', 'range', 'index', 'token', 'cursor'];

/** About 4 KB that compress as code does: repeated shapes, changing names and numbers. */
function phpClass(index, tag, random) {
  const word = () => words[Math.floor(random() * words.length)];
  const lines = ['<?php', '', 'declare(strict_types=1);', '', `namespace Bench\\Part${index % 12};`, '', `final class Class${index}`, '{', `    public const RELEASE = ${tag};`];
  let size = 150;
  while (size < fileBytes) {
    const [name, first, second] = [word(), word(), word()];
    const method = [
      '',
      '    /**',
      `     * Gives the ${first} of this ${second}, or ${Math.floor(random() * 1e9).toString(36)} where there is none.`,
      '     */',
      `    public function ${name}${Math.floor(random() * 1e6)}(int $${first}, string $${second}): string`,
      '    {',
      `        return sprintf('%s-%d', strtoupper($${second}), $${first} * ${Math.floor(random() * 1000)});`,
      '    }',
    ].join('\n');
    lines.push(method);
    size += method.length + 1;
  }
  return `${lines.join('\n')}\n}\n`;
}

function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
