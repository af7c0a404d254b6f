// A library that identifies its installed content: one class whose constant a test reads through Composer's autoloader.

import type { Tree } from './package-tree.ts';

/** composer.json (`fields` override) and `src/Who.php`; `who` defaults to the version, or to `dev`. */
export function whoLibrary(
  name: string,
  version: string | undefined,
  fields: Readonly<Record<string, unknown>> = {},
  who = version ?? 'dev',
): Tree {
  const namespace = whoNamespace(name);
  return {
    'composer.json': {
      json: {
        name,
        description: `${name} for tests`,
        license: 'MIT',
        ...(version === undefined ? {} : { version }),
        autoload: { 'psr-4': { [`${namespace}\\`]: 'src/' } },
        ...fields,
      },
    },
    'src/Who.php': whoClass(namespace, who),
  };
}

/** `acme/hello` → `AcmeHello`. */
export const whoNamespace = (name: string): string =>
  name.replace(/(?:^|[^a-z0-9]+)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());

export const whoClass = (namespace: string, who: string): string =>
  `<?php\n\nnamespace ${namespace};\n\nfinal class Who\n{\n    public const WHO = '${who}';\n}\n`;

/** PHP code that prints the installed content of each package. */
export const askWho = (...names: readonly string[]): string =>
  `echo implode(' ', [${names.map((name) => `${whoNamespace(name)}\\Who::WHO`).join(', ')}]);`;
