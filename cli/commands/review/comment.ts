// Makes the one comment of a lock review on a merge request, or renews it. Nothing remarkable makes no new comment.

import { objectsOf } from '../../../build/review/capabilities.ts';
import { commentMarker } from '../../../build/review/lock-review-text.ts';
import { ForgePause, ForgeRefusal } from '../../../proxy/forges/client/forge-failure.ts';
import type { ForgeChange, ForgeHttp } from '../../../proxy/forges/client/forge-http.ts';
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
  const own = await ownComment(http, place);
  if (own === undefined && !remarkable) return 'none';
  const json = { body: text };
  if (own === undefined) await ask(http, place, place.comments, { method: 'POST', json });
  else await ask(http, place, place.commentAt(own), { method: place.renews, json });
  return own === undefined ? 'made' : 'renewed';
}

/** The first comment that begins with the marker: a person who quotes the comment does not begin with it. */
async function ownComment(http: Pick<ForgeHttp, 'ask'>, place: MergeRequest): Promise<number | undefined> {
  let last = '';
  for (let page = 1; page <= mostPages; page += 1) {
    const text = await ask(http, place, `${place.comments}?${place.pageSize}&page=${page}`);
    const list = parseJsonText(text);
    if (!Array.isArray(list))
      throw new RemoteFailure('The forge answered the list of comments with no list. Check its address.');
    // Gitea has no pages of comments: each is the same
    if (list.length === 0 || text === last) return undefined;
    last = text;
    const own = objectsOf(list).find(({ body }) => typeof body === 'string' && body.startsWith(commentMarker));
    if (Number.isSafeInteger(own?.['id'])) return Number(own?.['id']);
  }
  return undefined;
}

async function ask(
  http: Pick<ForgeHttp, 'ask'>,
  { credential: [header, value] }: MergeRequest,
  url: string,
  content?: ForgeChange,
): Promise<string> {
  const headers = { accept: 'application/json', [header]: value.reveal() };
  const { status, text } = await http.ask({ url, headers, content }).catch((error: unknown) => {
    if (!(error instanceof ForgePause || error instanceof ForgeRefusal)) throw error;
    throw new RemoteFailure(error.message, { cause: error });
  });
  if (status >= 200 && status < 300) return text;
  throw new RemoteFailure(
    `The forge answered ${status} to ${content?.method ?? 'GET'} ${url}. May the token write comments on merge requests?`,
  );
}
