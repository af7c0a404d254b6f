// The libretto.json of the answers. Pure.

import { relative, sep } from 'node:path';

import type { JsonObject } from '../../build/contract/json.ts';
import type { Answers, SourceAnswer } from './answers.ts';

export interface ConfigPlace {
  /** absolute: the folder of the file */
  readonly directory: string;
  /** paths in the file are absolute: the file will move to another folder */
  readonly absolute: boolean;
  /** the value of `$schema` */
  readonly schema: string;
}

export function configText(answers: Answers, place: ConfigPlace): string {
  const { sources, publicUrl, trustedProxies, tls, tlsCert, tlsKey, gitHosts, listen, data, archives, countBy } =
    answers;
  const config: JsonObject = {
    $schema: place.schema,
    data: shownPath(data, place),
    sources: sources.map((source) => sourceText(source, place)),
    listen,
    ...(publicUrl === undefined ? {} : { publicUrl, ...(archives === 'absolute' ? { distUrl: publicUrl } : {}) }),
    ...(trustedProxies.length === 0 ? {} : { trustedProxies: [...trustedProxies] }),
    ...(tls === 'own' && tlsCert !== undefined && tlsKey !== undefined
      ? { tlsCert: shownPath(tlsCert, place), tlsKey: shownPath(tlsKey, place) }
      : {}),
    ...(gitHosts.length === 0 ? {} : { egress: { allow: [...gitHosts] } }),
    ...(countBy === undefined ? {} : { statistics: { by: countBy } }),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function sourceText(source: SourceAnswer, place: ConfigPlace): string {
  if ('url' in source) return source.url;
  const path = shownPath(source.path, place);
  return source.prefix === 'dir' ? path : `${source.prefix}:${path}`;
}

/** Relative to the file where the path is near it. */
function shownPath(path: string, { directory, absolute }: ConfigPlace): string {
  const near = relative(directory, path).split(sep).join('/');
  if (absolute || near.startsWith('../../')) return path;
  return near === '' ? '.' : near.startsWith('../') || near === '..' ? near : `./${near}`;
}
