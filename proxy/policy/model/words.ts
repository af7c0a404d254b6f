// The words of a policy that both its schema and its rules use. Pure.

export const actions = ['block', 'warn', 'log'] as const;
/** From the least to the worst one. */
export const severities = ['low', 'medium', 'high', 'critical'] as const;
export const requiredFields = ['license', 'readme', 'signed-tag'] as const;
export const clocks = ['published-time', 'time'] as const;

/** A sentence: how a person approves or rejects a version. `url`: of the registry, for a person on another machine. */
export function howToDecide(
  { name, version }: { readonly name: string; readonly version: string },
  url?: string,
): string {
  const command = `libretto policy approve ${name} ${version} --reason TEXT${url === undefined ? '' : ` --url ${url}`}`;
  return `To decide, run \`${command}\` (or \`reject\`), or open Policy → Held in the console.`;
}
