// Generates docs/explanation/modules.md: the table of modules, and one picture for each wing.

export interface Module {
  /** relative to the repository */
  readonly folder: string;
  readonly purpose: string;
  /** folders it may import, types included */
  readonly imports: readonly string[];
}

/** The whole page, as Markdown that Prettier does not change. */
export function describeModules(modules: readonly Module[]): string {
  return [
    '# Modules',
    '<!-- Generated from test/architecture/modules.json: `npx vitest run --config test/vitest.config.ts --project architecture -u` -->',
    'Each folder is a module. It has one purpose and a list of folders it may import. The tables are in reading order: a module imports only modules above it, types included. `npm test` compares the lists with the imports in the code.',
    ...(['build', 'proxy', 'cli'] as const).flatMap((wing) => describeWing(wing, modules)),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function describeWing(wing: string, modules: readonly Module[]): string[] {
  const own = modules.filter(({ folder }) => folder === wing || folder.startsWith(`${wing}/`));
  const rows = own.map(
    ({ folder, purpose, imports }) =>
      `| \`${folder}/\` | ${purpose} | ${imports.map((one) => `\`${one}\``).join(' ') || '–'} |`,
  );
  return [
    `## ${wing}/`,
    picture(wing, own),
    ['| Module | Purpose | May import |', '| --- | --- | --- |', ...rows].join('\n'),
  ];
}

/** Groups of modules (the folder below the wing) and what they import, without arrows that others imply. */
function picture(wing: string, modules: readonly Module[]): string {
  const groupOf = (folder: string): string => folder.split('/').slice(0, 2).join('/');
  const arrows = new Map<string, Set<string>>();
  for (const { folder, imports } of modules) {
    const from = groupOf(folder);
    const to = arrows.get(from) ?? new Set();
    arrows.set(from, to);
    for (const one of imports.map(groupOf)) if (one !== from && one.startsWith(`${wing}/`)) to.add(one);
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(arrows.get(from) ?? [])].some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  const nameOf = (folder: string): string => (folder === wing ? `${wing}.root` : folder).replaceAll(/[^a-z0-9]/g, '_');
  const lines = [...arrows].flatMap(([from, to]) => [
    `  ${nameOf(from)}["${from}"]`,
    ...[...to]
      .filter((one) => ![...to].some((other) => other !== one && reaches(other, one)))
      .map((one) => `  ${nameOf(from)} --> ${nameOf(one)}`),
  ]);
  return ['```mermaid', 'flowchart BT', ...lines, '```'].join('\n');
}
