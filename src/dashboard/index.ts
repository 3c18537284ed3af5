/** The shop-floor page: one self-contained document that needs nothing from any network but this service. */
import { createHash } from 'node:crypto';
import { script } from './script.ts';
import { style } from './style.ts';

export interface Page {
  readonly html: string;
  /** Only what is in the page may run or be shown, and it may talk to this service only. */
  readonly contentSecurityPolicy: string;
}

/** How the cutters and folders are, live. */
export function statusPage(): Page {
  return { html, contentSecurityPolicy: policy };
}

const sourceHash = (source: string): string => `'sha256-${createHash('sha256').update(source, 'utf8').digest('base64')}'`;

const policy = [
  "default-src 'none'", "connect-src 'self'", 'img-src data: blob:', `style-src ${sourceHash(style)}`, `script-src ${sourceHash(script)}`,
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ');

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Kerf</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header><h1>Kerf</h1><p id="service"></p><p id="feed" role="status">Connecting…</p></header>
<ul id="notes" hidden></ul>
<main id="cutters" aria-live="polite"></main>
<section aria-labelledby="folders-title"><h2 id="folders-title">Folders</h2><dl id="folders"></dl></section>
<section aria-labelledby="events-title"><h2 id="events-title">Last events</h2><ol id="events"></ol></section>
<div id="overlay" role="alert" hidden><p id="overlay-word">No live data</p><p id="overlay-reason"></p></div>
<dialog id="picture" aria-label="Picture of a refused page"><img id="picture-image" alt="The refused page; what is wrong is framed in red and told below it"><p><button>Close</button></p></dialog>
<form id="key-form" hidden><label for="key">Key of this server (API_KEY)</label><input id="key" type="password" autocomplete="off" required><button>Show</button><p id="key-reason" role="alert"></p></form>
<noscript>This page needs JavaScript. The same facts are at /dls/status and /health.</noscript>
<script>${script}</script>
</body>
</html>
`;
