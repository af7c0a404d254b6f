// Warns of LIBRETTO_* variables that no setting reads. A CI system may export a variable of that form for its own use,
// so that an unknown one is no error.

import type { TextStream } from '../io/answer-stream.ts';
import type { Environment } from '../io/environment.ts';
import { printLines } from '../io/output.ts';
import { nearest } from '../text/suggest.ts';
import { otherVariables, settingNames, settings } from './settings.ts';

const prefix = 'LIBRETTO_';

/** One line for all unknown variables, with the known one that each resembles; undefined: all are known. */
function describeUnknownVariables(environment: Environment): string | undefined {
  const known = new Set<string>(Object.keys(otherVariables));
  for (const name of settingNames) {
    const { variable } = settings[name];
    if (variable !== undefined) known.add(variable);
  }
  const unknown = Object.keys(environment).filter((name) => name.startsWith(prefix) && !known.has(name));
  if (unknown.length === 0) return undefined;
  // all names share the prefix, so it says nothing about their likeness
  const words = Array.from(known, (name) => name.slice(prefix.length));
  const names = unknown.toSorted().map((name) => {
    const meant = nearest(name.slice(prefix.length), words);
    return meant === undefined ? name : `${name} (did you mean ${prefix}${meant}?)`;
  });
  return `Warning: Libretto does not use ${names.join(', ')}. docs/reference/configuration.md lists every variable.`;
}

/** Prints the warning, if there is one. */
export function warnOfUnknownVariables({ stderr, environment }: Warned): void {
  const warning = describeUnknownVariables(environment);
  if (warning !== undefined) printLines(stderr, [warning]);
}

interface Warned {
  readonly stderr: TextStream;
  readonly environment: Environment;
}
