/** Standard Webhooks signatures (github.com/standard-webhooks/standard-webhooks, specification 1.0). */
import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';

/** The secret as people and receivers write it. */
export function secretOf(key: Uint8Array): string {
  return `${secretPrefix}${Buffer.from(key).toString('base64')}`;
}

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** `secrets` has two members while one is rotated: a receiver that knows either accepts the message. */
export function sign(secrets: readonly string[], id: string, atMs: number, body: string): SignedHeaders {
  const timestamp = String(Math.floor(atMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
