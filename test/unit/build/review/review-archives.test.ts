// Tests what a review of two archives finds: each ability beside its innocent twin, files, moves, and hostile archives.

import { describe, expect, it } from 'vitest';
import type { ArchiveFiles } from '../../../../build/review/file-findings.ts';
import { reviewArchives } from '../../../../build/review/review-archives.ts';

const composer = { name: 'acme/tool', autoload: { 'psr-4': { 'Acme\\': 'src/' } } };

function archive(files: Readonly<Record<string, string | Buffer>>, json: object = composer): ArchiveFiles {
  const all = Object.entries({ 'composer.json': JSON.stringify(json), ...files });
  return new Map(
    all.map(([path, content]) => {
      const bytes = Buffer.from(content);
      return [path, { size: bytes.length, crc32: 7, read: () => bytes }];
    }),
  );
}

const plain = archive({ 'src/A.php': '<?php class A {}' });

/** `kind detail file:line`, and a star for what Composer loads. */
function found(after: ArchiveFiles, before = plain): readonly string[] {
  return reviewArchives(before, after).findings.map(
    ({ kind, detail, file, line, loaded }) => `${loaded ? '* ' : ''}${kind} ${detail} ${file ?? '-'}:${line ?? '-'}`,
  );
}
const foundIn = (php: string): readonly string[] =>
  found(archive({ 'src/A.php': `<?php\n${php}` })).map((one) => one.replace(/^\* | src\/A\.php:\S+$/g, ''));

describe('code', () => {
  it.each([
    ['eval($text);', '$this->eval($text); // eval($text)', 'eval eval'],
    ["assert('f()');", 'assert($a > 1);', 'eval assert'],
    ["create_function('', $a);", 'function create_function() {}', 'eval create_function'],
    ['$a = `ls`;', "$a = '`ls`';", 'command backticks'],
    ['\\EXEC($a);', '$pdo->exec($a); PDO::exec($a); new exec($a); Other\\exec($a);', 'command exec'],
    ['use function system as say; say($a);', 'use function Other\\system;', 'command system'],
    ["('pass' . 'thru')($a);", "echo 'pass' . 'thru';", 'command passthru'],
    ['"\\x65x\\145c"($a);', 'echo "\\x65x\\145c";', 'command exec'],
    ["array_map('popen', $a);", "$this->option('popen');", 'command popen'],
    ["array_map(callback: 'popen', array: $a);", "array_map('trim', ['popen']);", 'command popen'],
    ["usort($a, 'system');", "in_array($a, 'system');", 'command system'],
    ["array_reduce(f($a), 'exec');", "array_reduce(f('exec'), $a);", 'command exec'],
    ["preg_replace_callback_array(['/./' => 'exec'], $a);", "f(['/./' => 'exec'], $a);", 'command exec'],
    ["ob_start('passthru');", "f('passthru');", 'command passthru'],
    ['use FFI as G;', 'use Other\\FFI;', 'native FFI'],
    ['imap_open($a, $b, $c);', '$this->imap_open();', 'network imap_open'],
    ["$run = 'proc_open';", "$names = ['proc_open' => 1];", 'command proc_open'],
    ["FFI::cdef('');", 'Other::cdef();', 'native FFI'],
    ['include $a;', "include __DIR__ . '/b.php';", 'include a variable'],
    ["require 'logo.png';", "require 'logo.php';", 'include logo.png'],
    ['$f($a);', '$this->f($a); new $f($a);', 'dynamic-call a variable'],
    ["$list['a']($b);", "$list['a'] . ($b);", 'dynamic-call an expression'],
    ['call_user_func($f);', 'call_user_func([$this, "f"]);', 'dynamic-call call_user_func'],
    ['unserialize($a);', 'serialize($a);', 'unserialize unserialize'],
    ['curl_init();', '$this->curl_init();', 'network curl_init'],
    ['stream_socket_client($a);', '// stream_socket_client($a);', 'network stream_socket_client'],
    ["file_get_contents('https:' . $a);", 'file_get_contents($a);', 'network file_get_contents of https:'],
    ['getenv();', 'self::getenv();', 'environment getenv'],
    ['$a = $_ENV;', '$a = $_env;', 'environment $_ENV'],
    ["$a = '/.composer/auth.json';", "$a = 'author.json';", 'secret auth.json'],
    ['$a = "169.254.169.254/";', "$a = '169.254.1.1/';", 'secret 169.254.169.254'],
    ['file_put_contents($a, $b);', 'file_exists($a);', 'write file_put_contents'],
    ['chmod($a, 0755);', '$this->chmod($a);', 'write chmod'],
    ['register_shutdown_function($a);', 'function register_shutdown_function() {}', 'later register_shutdown_function'],
    ["$a = 'https://Evil.example/x';", "$a = 'Evil.example';", 'host evil.example'],
    ['$a = <<<X\ntcp://10.1.2.3:99/\nX;', '$a = "1.2.3";', 'host 10.1.2.3'],
    ['echo gzinflate(base64_decode($a));', 'echo base64_decode($a);', 'hidden gzinflate(base64_decode'],
    [`$a = '${'QUJD1234'.repeat(60)}';`, `$a = '${'all words '.repeat(60)}';`, 'hidden a long encoded text'],
    [`$a = '${'a, '.repeat(2000)}';`, '$a = 1;\n'.repeat(2000), 'hidden a line of more than 5000 characters'],
    [`echo "${'\\x41'.repeat(9)}";`, 'echo "\\x41";', 'hidden a text of \\x'],
    ['$a = chr(101) . chr(120);', '$a = chr(10);', 'hidden a text of chr()'],
    ['goto a; a: goto b; b: goto c; c: goto d; d: goto e; e:', 'goto a; a:', 'hidden many goto'],
    ["$a = '\u202e';", "$a = 'é';", 'hidden characters that nobody sees'],
    ['function аdd() {}', 'function add() {}', 'hidden names with other letters'],
    ['__halt_compiler(); data', 'halt_compiler();', 'hidden data behind __halt_compiler'],
  ])('finds %s, and nothing in %s', (php, twin, finding) => {
    expect(foundIn(php)).toContain(finding);
    expect(foundIn(twin)).not.toContain(finding);
    expect(foundIn(twin).filter((one) => /^(?:eval|command|native|hidden|unread)/.test(one))).toEqual([]);
  });

  it('reads the syntax of PHP 8.5', () => {
    const php = `class P { public string $n { get => trim($this->n); } public private(set) int $x = 1; }
      $r = ' a ' |> trim(...); $c = clone($r, ['x' => 1]); (void) f(); new Foo()->bar(); enum S: string { case A = 'a'; }`;
    expect(foundIn(php)).toEqual([]);
  });
});

describe('what is new', () => {
  const exec = '<?php exec($a);';

  it('is not a line that moved, a file that moved, or one call more', () => {
    const before = archive({ 'src/A.php': exec });
    expect(found(archive({ 'src/A.php': `<?php\n\n\n${exec}` }), before)).toEqual([]);
    expect(found(archive({ 'src/B.php': exec, 'src/C.php': exec }), before)).toEqual([]);
  });

  it('is a call in loaded code that only a test had, with file and line', () => {
    const before = archive({ 'src/A.php': '<?php', 'tests/A.php': exec });
    expect(found(archive({ 'src/A.php': '<?php\n\nexec($a);', 'tests/A.php': exec }), before)).toEqual([
      '* command exec src/A.php:3',
    ]);
    const nowLoaded = { ...composer, autoload: { files: ['tests/A.php'], ...composer.autoload } };
    expect(found(archive({ 'src/A.php': '<?php', 'tests/A.php': exec }, nowLoaded), before)).toEqual([
      '* command exec tests/A.php:1',
    ]);
  });

  it('tells tests apart, and finds PHP in a file with another ending', () => {
    expect(found(archive({ 'src/A.php': '<?php class A {}', 'tests/a.dat': `x${exec}` }))).toEqual([
      'command exec tests/a.dat:1',
    ]);
  });

  it('is not hidden by a forged size and CRC', () => {
    const [before, after] = ['<?php safe($a);', '<?php exec($a);'].map((php) => archive({ 'src/A.php': php }));
    expect(found(after ?? plain, before)).toEqual(['* command exec src/A.php:1']);
  });

  it('names capabilities of composer.json', () => {
    const plugin = { ...composer, type: 'composer-plugin', extra: { class: 'Acme\\P' } };
    expect(reviewArchives(plain, archive({}, plugin)).capabilities.gained).toEqual([
      { kind: 'plugin', detail: 'composer-plugin Acme\\P' },
    ]);
  });
});

describe('files', () => {
  it.each([
    ['tool.phar', 'x', 'phar'],
    ['lib/native.so', 'x', 'so'],
    ['run.bat', 'x', 'bat'],
    ['logo.png', '\x7fELF\x02', 'ELF'],
    ['data', `MZ${'\0'.repeat(80)}`, 'PE'],
    ['mac', Buffer.from('cffaedfe00', 'hex'), 'Mach-O'],
    ['hook', '#!/usr/bin/env bash\n', 'a script'],
    ['logo.gif', 'GIF89a<?php __HALT_COMPILER(); ?>', 'phar'],
  ])('%s is a program', (path, bytes, what) => {
    const after = archive({ 'src/A.php': '<?php class A {}', [path]: bytes });
    expect(found(after)).toContain(`program ${what} ${path}:-`);
    expect(found(archive({ 'src/A.php': '<?php class A {}', [`moved-${path}`]: bytes }), after)).toEqual([]);
  });

  it('are not programs: pictures, texts and PHP commands', () => {
    expect(found(archive({ 'logo.png': '\x89PNG', 'bin/x': '#!/usr/bin/env php\n<?php', 'a.md': '#!/bin' }))).toEqual(
      [],
    );
  });

  it('jump in number and size', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`data/${at}`, 'x'.repeat(20_000)]));
    expect(found(archive(many))).toEqual([
      expect.stringMatching(/^growth 12\d+ bytes/),
      'growth 61 files instead of 2 -:-',
    ]);
  });
});

describe('a hostile archive', () => {
  it.each([
    ['a file of two megabytes on a line', `<?php $a = '${'A'.repeat(2e6)}';`, 'unread PHP of more than 1 MiB'],
    ['a file that no PHP reads', '<?php \u0001 exec($a);', 'unread no PHP that can be parsed'],
    ['a bracket without its other half', '<?php function f() { g(); }}', 'unread no PHP that can be parsed'],
    ['a bracket of another kind', '<?php f($a]);', 'unread no PHP that can be parsed'],
    ['a block without an end', '<?php class A { function b() {}', 'unread no PHP that can be parsed'],
    ['a string without an end', "<?php $a = 'exec($b);", 'unread no PHP that can be parsed'],
    ['a string with a variable and without an end', '<?php $a = "exec($b);', 'unread no PHP that can be parsed'],
    ['a heredoc without an end', '<?php $a = <<<X\n exec($b);\n', 'unread no PHP that can be parsed'],
    ['deep nesting', `<?php $a = ${'['.repeat(501)}${']'.repeat(501)};`, 'unread no PHP that can be parsed'],
    ['broken UTF-8', Buffer.from('3c3f70687020246120ff3b', 'hex'), 'hidden bytes that are not UTF-8'],
    ['a file that claims nine megabytes', Buffer.alloc(9 * 1024 * 1024), 'unread more than 8 MiB'],
  ])('%s is a finding', (_, bytes, finding) => {
    expect(found(archive({ 'src/A.php': bytes }))).toContainEqual(expect.stringContaining(`* ${finding} src/A.php`));
  });

  it.each([
    '<?php $a = "{$b[1]} ${c} $d[0]"; #[E(f: [1])] fn() => `g {$h}`;\n?>\n<b>(</b>',
    '<?php $a = <<<X\n ( {$b} "\nX;\n/* ( */ // {',
    '<?php f(); __HALT_COMPILER(); ((( "',
    `<?php $a = ${'['.repeat(500)}${']'.repeat(500)};`,
    '<?php',
  ])('%s is PHP', (text) => {
    expect(found(archive({ 'src/A.php': text })).filter((one) => one.includes('unread'))).toEqual([]);
  });

  it('is read as far as 20,000 files, and nests as deep as it wants', () => {
    const files = Array.from({ length: 20_100 }, (_, at) => [`src/${'d/'.repeat(20)}${at}.php`, '<?php'] as const);
    expect(found(archive(Object.fromEntries(files)))).toContain('* unread more than 20000 files or 64 MiB -:-');
    expect(foundIn(`${'('.repeat(50_000)}exec($a)`)).toContain('command exec');
  });

  it('with many programs and other names for them has its old files listed a few times', () => {
    const named = (start: string) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${start}${at}.sh`, 'x']));
    let listed = 0;
    const old = archive(named('old'));
    const counting = new Proxy(old, {
      get: (target, key) => {
        if (key === Symbol.iterator) listed += 1;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    expect(found(archive({ ...named('new'), 'more.sh': 'y' }), counting)).toEqual(['program sh more.sh:-']);
    expect(listed).toBeLessThan(10);
  });

  it('with a damaged file or composer.json names it, and reads the rest', () => {
    const damaged = { size: 9, crc32: 1, read: () => { throw new Error('crc'); } }; // prettier-ignore
    const after = new Map([...archive({ 'src/A.php': '<?php exec($a);' }), ['src/B.php', damaged] as const]);
    expect(found(after)).toEqual(['* unread damaged or encrypted src/B.php:-', '* command exec src/A.php:1']);
    expect(found(archive({ 'composer.json': '{', 'any.php': '<?php exec($a);' }))).toContain(
      '* command exec any.php:1',
    );
  });
});
