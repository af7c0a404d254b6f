// The feature `device`: the metadata of the device flow at the address that RFC 8414 gives it.

import { jsonAnswer } from '../core/http/answer.ts';
import type { HttpRequest } from '../core/http/http-request.ts';
import type { Feature } from '../core/protocol/feature.ts';

export interface DeviceMetadataParts {
  /** the address of the registry for this request, without a slash at its end */
  readonly originOf: (incoming: HttpRequest) => string;
}

const path = '/.well-known/oauth-authorization-server';

export function createDeviceMetadata({ originOf }: DeviceMetadataParts): Feature {
  const route = {
    kind: 'device',
    methods: 'GET, HEAD',
    open: true,
    answer: ({ incoming }: { readonly incoming: HttpRequest }) => jsonAnswer(200, metadataOf(originOf(incoming))),
  };
  return { kinds: ['device'], routeOf: (asked) => (asked === path ? route : undefined) };
}

function metadataOf(issuer: string) {
  return {
    issuer,
    device_authorization_endpoint: `${issuer}/api/oauth/device_authorization`,
    token_endpoint: `${issuer}/api/oauth/token`,
    grant_types_supported: ['urn:ietf:params:oauth:grant-type:device_code'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
  };
}
