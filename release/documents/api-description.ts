// The OpenAPI document of the whole service, made without a server: its routes are registered, and never called.

import { librettoVersion } from '../../build/contract/libretto-version.ts';
import { createApi } from '../../proxy/manage/frame/api.ts';
import { describeApi } from '../../proxy/manage/openapi/document.ts';
import type { ApiDocument } from '../../proxy/manage/openapi/schema.ts';
import { registerRoutes, type Services } from '../../proxy/manage/routes.ts';

/** Equal to the answer of `GET /api/openapi.json` of a server at the root of a host. */
export function apiDescription(): ApiDocument {
  const api = createApi();
  registerRoutes(api, {} as Services);
  return describeApi(api, librettoVersion);
}
