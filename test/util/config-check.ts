// Compares the schema of libretto.json with the program: both accept and refuse the same files, except for rules that a
// schema cannot express. config-schema.test.ts compares the file of the schema.

import { writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';

import { configSchema } from '../../cli/config/config-schema.ts';
import { loadConfig } from '../../cli/config/config.ts';
import { UsageError } from '../../cli/io/usage-error.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface CheckedConfigs {
  readonly accepted: readonly object[];
  /** with all problems that the program names */
  readonly refused: readonly (readonly [object, ...string[]])[];
  /** the schema accepts them; with a part of the program's message */
  readonly onlyProgramRefuses: readonly (readonly [object, string])[];
}

export const schemaFile = new URL('../../docs/libretto.schema.json', import.meta.url).pathname;

const bySchema = new Ajv({ strict: true, strictRequired: false, strictTypes: false }).compile(configSchema());

/** The problems, without the name of the file; empty for an accepted file. */
export async function byProgram(config: unknown): Promise<string[]> {
  const folder = temporaryFolder('schema');
  const path = folder.at('libretto.json');
  writeFileSync(path, JSON.stringify(config));
  try {
    await loadConfig({ flags: { config: path }, environment: {}, workingDirectory: folder.path });
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [first = '', ...more] = error.message.replaceAll(` in ${path}`, '').split('\n');
    return more.length === 0
      ? [first.replace('The configuration cannot be used: ', '')]
      : more.map((line) => line.trim());
  } finally {
    await folder.remove();
  }
}

export function checkConfigs({ accepted, refused, onlyProgramRefuses }: CheckedConfigs): void {
  describe('the schema of libretto.json', () => {
    it.each(accepted.map((config) => [JSON.stringify(config), config] as const))(
      'accepts %s, as the program does',
      async (_, config) => {
        bySchema(config);
        expect({ schema: bySchema.errors, program: await byProgram(config) }).toEqual({ schema: null, program: [] });
      },
    );

    it.each(refused.map(([config, ...problems]) => [JSON.stringify(config), config, problems] as const))(
      'refuses %s, as the program does',
      async (_, config, problems) => {
        expect({ schema: bySchema(config), program: await byProgram(config) }).toEqual({
          schema: false,
          program: problems,
        });
      },
    );

    it.each(
      onlyProgramRefuses.map(
        ([config, problem]) => [JSON.stringify(config).replace('hunter2', '…'), config, problem] as const,
      ),
    )('accepts %s, which only the program refuses', async (_, config, problem) => {
      const program = (await byProgram(config)).join('\n');
      expect({ schema: bySchema(config), program }).toEqual({
        schema: true,
        program: expect.stringContaining(problem) as string,
      });
      expect(program).not.toContain('hunter2');
    });
  });
}
