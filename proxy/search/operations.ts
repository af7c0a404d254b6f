// The search over everything, as the API offers it. The palette of the console finds the same, and its own pages.

import { z } from 'zod';
import { operation } from '../registry/operation.ts';
import { findAnything, foundKinds, mostFound, mostText, type SearchServices } from './find-anything.ts';

const found = z.object({
  kind: z.enum(foundKinds).meta({ description: 'what was found' }),
  id: z.string().meta({
    description: 'the name of the package, the version, the id of the token or person, or the key of the setting',
    example: 'acme/hello',
  }),
  name: z.string().meta({
    description:
      'the name of the package, also of a version; the description of the token; the e-mail address of the person; the ' +
      'label of the setting',
    example: 'acme/hello',
  }),
  detail: z.string().meta({ description: 'more about it; may be empty', example: 'Says hello' }),
});

export const searchRegistry = operation({
  id: 'searchRegistry',
  method: 'get',
  path: '/api/search',
  tag: 'Packages',
  summary: 'Search everything',
  description:
    'Packages, versions (`hello 1.2`), tokens, people and settings, as far as the caller may list each of them. The id ' +
    'of an advisory (`CVE-…`, `GHSA-…`, `PKSA-…`, `MAL-…`) finds the packages with stored versions that it is about. Where ' +
    'nothing has all words, those with typing errors count: one wrong letter in four, and two in eight.',
  query: z.strictObject({
    q: z.string().max(mostText).meta({ description: 'the words to look for', example: 'hello' }),
  }),
  answer: z.object({
    data: z.array(found).max(mostFound).meta({ description: 'what was found, a version that is asked for first' }),
  }),
  answers: 'what was found',
  run: async (services: SearchServices, { q }, call) => ({
    data: q.trim() === '' ? [] : await findAnything(services, call, q.trim()),
  }),
});
