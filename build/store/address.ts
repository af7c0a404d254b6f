// Where an object store is: `s3://bucket/prefix` with an endpoint and a region becomes the URLs of its objects. AWS gets
// the bucket in the host name; other endpoints, and buckets with a dot, get it in the path.

import { parseAddress } from '../contract/address.ts';
import type { Branded } from '../contract/brand.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { ObjectKey } from './object-store.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type StoreAddress = Branded<
  {
    /** for messages: s3://bucket/prefix */
    readonly name: string;
    readonly bucket: string;
    /** of the keys: empty, or with a slash at its end */
    readonly prefix: string;
    readonly region: string;
    /** the URL of the bucket, with a slash at its end */
    readonly base: string;
  },
  'StoreAddress'
>;

export interface AddressOptions {
  /** AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION and AWS_DEFAULT_REGION are read from it. */
  readonly environment: Environment;
  /** It has precedence over the environment, as `region` has. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
}

/** Throws BuildRefused. */
export function parseStoreAddress(text: string, { environment, endpoint, region }: AddressOptions): StoreAddress {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)(?:\/(.*))?$/s.exec(text) ?? [];
  const prefix = path.replace(/(?<=.)\/$/s, '');
  const fault = addressFault(text, bucket, prefix);
  if (fault !== undefined)
    throw new BuildRefused(
      `${shownAddress(text)} is no address of an object store: ${fault}. Write s3://bucket/prefix.`,
    );
  const place = region ?? given(environment['AWS_REGION']) ?? given(environment['AWS_DEFAULT_REGION']) ?? 'us-east-1';
  if (!/^[a-z0-9-]{1,40}$/.test(place))
    throw new BuildRefused(`${JSON.stringify(place)} is no region. Set AWS_REGION to one such as "eu-central-1".`);
  const own = endpoint ?? given(environment['AWS_ENDPOINT_URL_S3']) ?? given(environment['AWS_ENDPOINT_URL']);
  const name = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
  const base = own === undefined ? awsBase(bucket, place) : `${parseEndpoint(own)}/${bucket}/`;
  return { name, bucket, prefix: prefix === '' ? '' : `${prefix}/`, region: place, base } as StoreAddress;
}

/** The hosts of AWS in China have a domain of their own. */
export function awsDomain(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

/** The URL of an object, or of the bucket; each part of it is encoded as signatures want it. */
export function urlIn(address: StoreAddress, key: ObjectKey | undefined, query: Query = {}): URL {
  const path = key === undefined ? '' : encodedKey(`${address.prefix}${key}`);
  const pairs = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return new URL(`${address.base}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`);
}

export type Query = Readonly<Record<string, string>>;

/** Throws RangeError for a key that a URL cannot hold. */
export function encodedKey(key: string): string {
  const segments = key.split('/');
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw new RangeError(`The key ${JSON.stringify(key)} has a segment that URLs resolve.`);
  return segments.map(encoded).join('/');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** undefined: not set, or blank */
export function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

function addressFault(text: string, bucket: string, prefix: string): string | undefined {
  if (!text.startsWith('s3://')) return 'it does not start with s3://';
  if (bucket.includes('@')) return 'it holds credentials, which belong into the environment';
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes('..') || /^[\d.]+$/.test(bucket))
    return 'the name of a bucket has 3 to 63 small letters, digits, dots and hyphens';
  if (/[\p{C}?#\\]/u.test(prefix)) return 'the prefix has an invisible character, a ?, a # or a \\';
  if (Buffer.byteLength(prefix) > 512) return 'the prefix has more than 512 bytes';
  const bad = prefix === '' ? undefined : prefix.split('/').find((segment) => ['', '.', '..'].includes(segment));
  return bad === undefined ? undefined : `the prefix has ${bad === '' ? 'an empty' : `a "${bad}"`} segment`;
}

/** A text with an @ may hold a password. */
function shownAddress(text: string): string {
  return text.includes('@') ? 'What was given' : JSON.stringify(text.slice(0, 200));
}

function awsBase(bucket: string, region: string): string {
  const host = `s3.${region}.${awsDomain(region)}`;
  // the certificate of AWS covers one label before its own
  return bucket.includes('.') ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`;
}

function parseEndpoint(text: string): string {
  const parsed = parseAddress(text);
  const url = 'refusal' in parsed ? undefined : parsed.url;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && `${url.username}${url.password}` === '';
  if (!isPlain || `${url.search}${url.hash}` !== '')
    throw new BuildRefused(
      `The endpoint of the object store, ${shownAddress(text)}, is not a plain http:// or https:// address. Set ` +
        'AWS_ENDPOINT_URL_S3 to one such as "https://s3.example.org", without credentials or query.',
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
