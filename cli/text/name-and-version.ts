// A package and its version in one word, `acme/hello:1.0.0`, as Composer's command line has them. Commands here take
// two words. Pure.

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';

/** The two words for the shell: `acme/hello 1.0.0`. undefined: the text has no version. */
export function asTwoWords(text: string): string | undefined {
  const [, name, version] = /^([^:=/\s]+\/[^:=\s]+)[:=](.+)$/.exec(text) ?? [];
  return name === undefined || version === undefined ? undefined : `${quoteForShell(name)} ${quoteForShell(version)}`;
}

/** The message for a word that is not the name of a package. */
export function notAPackageName(text: string): string {
  const words = asTwoWords(text);
  return (
    `${JSON.stringify(text)} is not a package name such as acme/hello.` +
    (words === undefined ? '' : ` Name and version are two words here: ${words}`)
  );
}
