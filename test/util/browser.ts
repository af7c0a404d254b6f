// A real browser on pages of the service. The test files of a process share one browser, and each visitor has a context
// of its own: its cookies, its storage and its pages.

import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { toolPath } from './tool.ts';

export interface Browsing extends AsyncDisposable {
  readonly page: Page;
  /** errors and warnings of the console, exceptions, requests that failed */
  readonly complaints: readonly string[];
  /** every requested address */
  readonly requested: readonly string[];
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // contexts share a process for their pages
  '--renderer-process-limit=1',
  // names below .internal are this machine
  '--host-resolver-rules=MAP *.internal 127.0.0.1',
];

let shared: Promise<Browser> | undefined;

/** The browser of this process, which ends with it. */
function openBrowser(): Promise<Browser> {
  shared ??= chromium
    .launch({ executablePath: toolPath('chromium-headless-shell'), headless: true, args: flags })
    .then((browser) => browser.on('disconnected', () => (shared = undefined)));
  return shared;
}

/** One visitor. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await openBrowser()).newContext(options);
  context.setDefaultTimeout(60_000);
  return context;
}

/** A page in a context of its own. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  return (await openContext(options)).newPage();
}

/** `prepare` is called with the empty page. */
export async function browse(url: string, prepare?: (page: Page) => Promise<unknown>): Promise<Browsing> {
  const complaints: string[] = [];
  const requested: string[] = [];
  const page = await openPage({ viewport: { width: 1280, height: 900 } });
  const close = (): Promise<void> => page.context().close();
  try {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        complaints.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => void complaints.push(error.message));
    page.on(
      'requestfailed',
      (request) => void complaints.push(`${request.url()}: ${request.failure()?.errorText ?? ''}`),
    );
    page.on('request', (request) => void requested.push(request.url()));
    await prepare?.(page);
    await page.goto(url);
    return { page, complaints, requested, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A prompt for a password is cancelled, and reported to `seen`. Playwright does not report prompts. */
export async function refusePrompts(page: Page, seen: (address: string) => void): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  const ended = (): void => undefined; // the page was closed in the meantime
  protocol.on(
    'Fetch.requestPaused',
    ({ requestId }) => void protocol.send('Fetch.continueRequest', { requestId }).catch(ended),
  );
  protocol.on('Fetch.authRequired', ({ requestId, request }) => {
    seen(request.url);
    protocol
      .send('Fetch.continueWithAuth', { requestId, authChallengeResponse: { response: 'CancelAuth' } })
      .catch(ended);
  });
  await protocol.send('Fetch.enable', { handleAuthRequests: true });
}
