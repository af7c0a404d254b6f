// Makes the one comment of a lock review on a merge request, or renews it. Nothing remarkable makes no new comment.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { commentMarker } from '../../../build/review/lock-review-text.ts';
import { ForgePause, ForgeRefusal } from '../../../proxy/forges/client/forge-failure.ts';
import type { ForgeAnswer, ForgeHttp, ForgeRequest } from '../../../proxy/forges/client/forge-http.ts';
import { parseJsonText } from '../../../proxy/forges/model/json-text.ts';
import { RemoteFailure } from '../../remote/remote.ts';
import type { MergeRequest } from './merge-request.ts';

/** Of comments that are searched for the own one: 1000, or 500 of Gitea. */
const mostPages = 10;

/** Throws RemoteFailure, with what the forge said. */
export async function commentOn(
  http: Pick<ForgeHttp, 'ask'>,
  place: MergeRequest,
  { text, remarkable }: { readonly text: string; readonly remarkable: boolean },
): Promise<'made' | 'renewed' | 'none'> {
  const ask = (request: Omit<ForgeRequest, 'headers'>): Promise<ForgeAnswer> => answered(http, place, request);
  const own = await ownComment(place, ask);
  if (own === undefined && !remarkable) return 'none';
  const json = { body: text };
  if (own === undefined) await ask({ url: place.comments, content: { method: 'POST', json } });
  else await ask({ url: place.commentAt(own), content: { method: place.renews, json } });
  return own === undefined ? 'made' : 'renewed';
}

/** The first comment that begins with the marker: a person who quotes the comment does not begin with it. */
async function ownComment(
  { comments, pageSize }: MergeRequest,
  ask: (request: Omit<ForgeRequest, 'headers'>) => Promise<ForgeAnswer>,
): Promise<number | undefined> {
  let last = '';
  for (let page = 1; page <= mostPages; page += 1) {
    const { text } = await ask({ url: `${comments}?${pageSize}&page=${page}` });
    const list = listIn(text);
    // Gitea has no pages of comments: each is the same
    if (list.length === 0 || text === last) return undefined;
    last = text;
    for (const one of list) {
      const { id, body } = isJsonObject(one) ? one : {};
      if (typeof body === 'string' && body.startsWith(commentMarker) && Number.isSafeInteger(id)) return Number(id);
    }
  }
  return undefined;
}

function listIn(text: string): readonly JsonValue[] {
  const json = parseJsonText(text);
  if (Array.isArray(json)) return json as readonly JsonValue[];
  throw new RemoteFailure('The forge answered the list of comments with no list. Check its address.');
}

async function answered(
  http: Pick<ForgeHttp, 'ask'>,
  { credential: [header, value] }: MergeRequest,
  request: Omit<ForgeRequest, 'headers'>,
): Promise<ForgeAnswer> {
  try {
    const headers = { accept: 'application/json', [header]: value.reveal() };
    const answer = await http.ask({ ...request, headers });
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new RemoteFailure(
      `The forge answered ${answer.status} to ${request.content?.method ?? 'GET'} ${request.url}. May the token write ` +
        'comments on merge requests?',
    );
  } catch (error) {
    if (error instanceof ForgePause || error instanceof ForgeRefusal)
      throw new RemoteFailure(error.message, { cause: error });
    throw error;
  }
}
