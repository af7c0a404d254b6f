// Tests that the recordings cover every operation of the management API, with a success and an error.

import { expect, it } from 'vitest';
import { apiDescription } from '../../release/documents/api-description.ts';
import { allRecordings } from './recorder/recording.ts';

it('every operation is in the recordings, with a success and an error', () => {
  const document = apiDescription();
  const answers = allRecordings().flatMap((text) =>
    [...text.matchAll(/^> ([A-Z]+) ([^?\s]+)\S*\n(?:> .*\n)*< (\d+)$/gm)].map(([, method = '', path = '', status]) => ({
      method,
      path,
      succeeded: Number(status) < 400,
    })),
  );
  const lacks = (succeeded: boolean): string[] =>
    Object.entries(document.paths).flatMap(([path, operations]) => {
      const pattern = new RegExp(
        `^${path
          .replaceAll('.', String.raw`\.`)
          .replace('{version}', '.+')
          .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      );
      return Object.entries(operations)
        .filter(
          ([method, { operationId }]) =>
            operationId !== undefined &&
            !answers.some(
              (answer) =>
                answer.succeeded === succeeded && answer.method === method.toUpperCase() && pattern.test(answer.path),
            ),
        )
        .map(([, { operationId }]) => operationId);
    }) as string[];
  expect({ withoutSuccess: lacks(true), withoutError: lacks(false) }).toEqual({ withoutSuccess: [], withoutError: [] });
});
