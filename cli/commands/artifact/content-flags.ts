// The flags that name one content of a version, for the commands that the server runs.

import { parseReference } from '../../../build/contract/digest.ts';
import { parsePackageName } from '../../../build/contract/name.ts';
import { parseDistLabel } from '../../../build/contract/paths.ts';
import type { PublishedContent } from '../../../build/artifacts/withdraw-artifact.ts';
import type { CommandInput } from '../../io/command.ts';
import { UsageError } from '../../io/usage-error.ts';

/** Throws UsageError. */
export function contentIn({ name: given, asVersion, reference: text }: CommandInput['flags']): PublishedContent {
  const [name, label, reference] = [
    parsePackageName(String(given)),
    parseDistLabel(String(asVersion)),
    parseReference(String(text)),
  ];
  if (name === undefined || reference === undefined || 'refusal' in label)
    throw new UsageError('No artifact has this package, version and reference.');
  return { name, version: label.label, reference };
}
