import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccessCheck, AccessDecision, RequestHead } from './types.ts';

/** Everybody may. */
export const openAccess: AccessCheck = () => ({ ok: true, principal: null });

/**
 * Area C: the header X-API-Key must hold `apiKey`. Both sides are hashed before they are compared, so that neither a
 * shared beginning nor the length shows in the time it takes. Every wrong credential gets the same answer.
 *
 * Without a key Area C is open (api-decisions.md section 5): then a web page that the person at this machine happens to
 * visit must not be able to drive the cutters, so a browser's cross-site writes are refused.
 */
export function apiKeyAccess(apiKey: string | null): AccessCheck {
  if (apiKey === null) return refuseCrossSiteWrites;
  const expected = sha256(apiKey);
  return (head) => {
    const given = sha256(head.headers.get('x-api-key') ?? '');
    return timingSafeEqual(expected, given) ? { ok: true, principal: null } : unauthenticated();
  };
}

function refuseCrossSiteWrites(head: RequestHead): AccessDecision {
  const isWrite = head.method !== 'GET' && head.method !== 'HEAD';
  if (!isWrite || head.headers.get('sec-fetch-site') !== 'cross-site') return { ok: true, principal: null };
  return { ok: false, problem: { code: 'FORBIDDEN', detail: 'A page of another site may not send commands to this server. Set an API_KEY and send it in X-API-Key.' } };
}

function unauthenticated(): AccessDecision {
  return {
    ok: false,
    problem: {
      code: 'UNAUTHENTICATED',
      detail: 'This endpoint needs a valid key in the header X-API-Key.',
      headers: { 'WWW-Authenticate': 'ApiKey realm="kerf", header="X-API-Key"' },
    },
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
