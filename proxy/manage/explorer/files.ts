// The files of the API explorer: its own files, and two files of Swagger UI, which are read on first demand.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TextDocument } from '../../core/http/document.ts';
import { explorerScript } from './script.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';

/** Addresses are relative: behind a web server the service may live below a path. */
export const explorerPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Libretto</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger/swagger-ui.css">
<link rel="stylesheet" href="swagger/explorer.css">
</head>
<body>
<form id="invitation" hidden>
<h1>You are invited</h1>
<p>Choose a password, then log in with it.</p>
<label>Password <input name="password" type="password" autocomplete="new-password" required></label>
<button>Accept</button>
<p role="status"></p>
</form>
<div id="explorer"></div>
<noscript>This page needs JavaScript. What it shows is in openapi.json.</noscript>
<script src="swagger/swagger-ui-bundle.js"></script>
<script src="swagger/explorer.js"></script>
</body>
</html>
`;

/**
 * Scripts, styles and requests to this service only; the images are those in Swagger UI's own style sheet. Other pages
 * must not frame this one, and its forms cannot submit elsewhere.
 */
export const explorerContentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const javascript = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';

export const explorerFiles = ['explorer.js', 'explorer.css', 'swagger-ui-bundle.js', 'swagger-ui.css'] as const;

export type ExplorerFile = (typeof explorerFiles)[number];

/**
 * Reads each file once, for any number of concurrent requests; two megabytes in total, and as much again in compressed
 * form. Rejects if Swagger UI's files are missing.
 */
export function createExplorerFiles(): (name: ExplorerFile) => Promise<TextDocument> {
  // after a failure the next request tries again
  const loaded = new SingleFlight<TextDocument, ExplorerFile>({ keeps: 'fulfilled' });
  return (name) => loaded.run(name, () => load(name));
}

async function load(name: ExplorerFile): Promise<TextDocument> {
  if (name === 'explorer.js') return new TextDocument(Buffer.from(explorerScript), 0, { type: javascript });
  if (name === 'explorer.css') return new TextDocument(Buffer.from(style), 0, { type: css });
  return new TextDocument(await readFile(join(swaggerFolder(), name)), 0, {
    type: name.endsWith('.js') ? javascript : css,
  });
}

/** The compiled program has its own copy beside it. Sources that a test runner transforms use the package. */
function swaggerFolder(): string {
  return import.meta.url.endsWith('.js')
    ? fileURLToPath(new URL('./swagger-ui/', import.meta.url))
    : dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

// The style sheet of the API explorer, loaded after that of Swagger UI. Nothing is wider than a phone: what does not
// wrap scrolls inside its own box.

const style = `body { margin: 0; }
#invitation { max-width: 1460px; margin: 0 auto; padding: 1.5rem 20px; font-family: sans-serif; box-sizing: border-box; }

.swagger-ui .explorer-bar {
  position: sticky; top: 0; z-index: 10; display: flex; align-items: center; gap: 1rem;
  padding: 0.5rem max(20px, (100% - 1420px) / 2); background: #fff; border-bottom: 1px solid #d8dde7;
}
.swagger-ui .explorer-bar > h1 { margin: 0; font: bold 1.25rem sans-serif; }
.swagger-ui .explorer-bar > p { margin: 0 0 0 auto; font: 0.875rem sans-serif; text-align: right; }
.swagger-ui .explorer-bar .auth-wrapper { flex: none; padding: 0; }
.swagger-ui .explorer-bar .btn.authorize { margin: 0; padding-right: 10px; white-space: nowrap; }
.swagger-ui .explorer-about { padding-top: 1rem; font-family: sans-serif; }
.swagger-ui .explorer-about summary { cursor: pointer; padding: 0.5rem 0; }
.swagger-ui .explorer-about .info { margin: 1rem 0; }
.swagger-ui .info table { display: block; overflow-x: auto; }
.swagger-ui .info td, .swagger-ui .info td code { white-space: normal; word-break: normal; }
.swagger-ui .info table tbody tr td { padding-right: 0.75rem; }

@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 10px; }
  .swagger-ui .explorer-bar { padding: 0.5rem 10px; }
  .swagger-ui .filter .operation-filter-input { max-width: none; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex: 1 0 100%; order: 1; padding: 0.25rem 0 0; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 4rem; }
  .swagger-ui table.parameters, .swagger-ui table.responses-table,
  .swagger-ui table.parameters > tbody, .swagger-ui table.responses-table > tbody,
  .swagger-ui table.parameters > tbody > tr, .swagger-ui table.responses-table > tbody > tr,
  .swagger-ui table.parameters > tbody > tr > td, .swagger-ui table.responses-table > tbody > tr > td {
    display: block; width: auto; max-width: 100%; box-sizing: border-box; padding-left: 0; padding-right: 0;
  }
  .swagger-ui table.parameters > thead, .swagger-ui table.responses-table > thead,
  .swagger-ui td.response-col_links { display: none !important; }
  .swagger-ui .responses-inner, .swagger-ui .opblock .opblock-section-header { padding: 10px; }
  .swagger-ui table.headers { table-layout: fixed; }
  .swagger-ui table.headers td, .swagger-ui .renderedMarkdown, .swagger-ui .model { overflow-wrap: anywhere; }
  .swagger-ui select, .swagger-ui .parameters-col_description input, .swagger-ui textarea {
    min-width: 0; max-width: 100%; width: 100%; box-sizing: border-box;
  }
  .swagger-ui .info td { overflow-wrap: normal; }
  .swagger-ui .response-controls { flex-wrap: wrap; }
  .swagger-ui .highlight-code, .swagger-ui .curl-command, .swagger-ui .request-url, .swagger-ui .model-box {
    max-width: 100%; overflow-x: auto;
  }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: calc(100% - 20px); }
  .swagger-ui .auth-container input { min-width: 0; width: 100%; max-width: 100%; box-sizing: border-box; }
}
`;
