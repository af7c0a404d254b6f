// The list of what is inside the package, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). It depends on the
// contents alone: it has no time, and its serial number comes from its text.

import { createHash } from 'node:crypto';

/**
 * @param {object} product
 * @param {string} product.name
 * @param {string} product.version
 * @param {string} product.license
 * @param {readonly import('./libraries.mjs').Library[]} libraries
 * @param {readonly { readonly path: string, readonly library: string, readonly sha256: string }[]} files  copied from the
 *   package `library` (its name) and changed on the way
 */
export function describeContents(product, libraries, files) {
  const own = { ...product, purl: `pkg:npm/${product.name}@${product.version}`, licence: product.license };
  const needed = new Set(libraries.flatMap(({ needs }) => needs));
  const roots = libraries.map(({ purl }) => purl).filter((purl) => !needed.has(purl));
  const contents = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { type: 'application', 'bom-ref': own.purl, ...identity(own) },
    },
    components: libraries.map((library) => componentOf(library, files)),
    dependencies: [
      { ref: own.purl, dependsOn: roots },
      ...libraries.map(({ purl, needs }) => ({ ref: purl, dependsOn: needs })),
    ],
  };
  return { $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json', serialNumber: serialOf(contents), ...contents };
}

function componentOf(library, files) {
  const { name, purl, version, integrity, parts } = library;
  const inside = [
    ...parts.map((part) => ({ type: 'library', 'bom-ref': `${purl}#${part.purl}`, ...identity(part) })),
    ...files.filter((file) => file.library === name).map(fileComponent),
  ];
  return {
    type: 'library',
    'bom-ref': purl,
    ...identity(library),
    ...(integrity === undefined ? {} : { externalReferences: [distribution(name, version, integrity)] }),
    ...(inside.length > 0 ? { components: inside } : {}),
  };
}

function identity({ name, version, licence, purl }) {
  const [, group, itsName = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  return {
    ...(group === undefined ? {} : { group }),
    name: itsName,
    ...(version === undefined ? {} : { version }),
    ...(licence === undefined ? {} : { licenses: licensesOf(licence) }),
    purl,
  };
}

const licensesOf = (licence) => [/ /.test(licence) ? { expression: licence } : { license: { id: licence } }];

/** The file that npm installs; `integrity` is its checksum in package-lock.json. */
function distribution(name, version, integrity) {
  const [, digest = ''] = /^sha512-(.+)$/.exec(integrity) ?? [];
  if (digest === '') throw new Error(`package-lock.json has no SHA-512 checksum of ${name}: ${integrity}.`);
  return {
    type: 'distribution',
    url: `https://registry.npmjs.org/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
  };
}

const fileComponent = ({ path, sha256 }) => ({
  type: 'file',
  'bom-ref': path,
  name: path,
  hashes: [{ alg: 'SHA-256', content: sha256 }],
});

/** A UUID of version 8 (RFC 9562), whose bits a program chooses: here the digest of the contents. */
function serialOf(contents) {
  const digest = createHash('sha256').update(JSON.stringify(contents)).digest('hex');
  const text = `${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`;
  return `urn:uuid:${text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`;
}
