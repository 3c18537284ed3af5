/** Who receives webhooks. Today one receiver, from the settings; partners' own come from elsewhere by the same face. */

/** Events of the cutter server (api-decisions.md section 7). */
export const cutterServerEvents = ['job.registered', 'job.sent', 'job.finished', 'job.interrupted', 'barcode.no_match', 'webhook.test'] as const;

export interface Endpoint {
  readonly id: string;
  readonly url: URL;
  /** `whsec_…`; two while one is rotated, the new one first. */
  readonly secrets: readonly string[];
  /** What it wants to hear of; nothing when empty. `webhook.test` is asked for by hand and needs no subscription. */
  readonly eventTypes: readonly string[];
}

export interface Endpoints {
  get(id: string): Endpoint | undefined;
  all(): readonly Endpoint[];
}

/** Id of the receiver that WEBHOOK_URL names. */
export const configuredEndpointId = 'configured';

/** The receiver of the settings, for everything that happens at the cutters; none without a URL. */
export function configuredEndpoints(url: string | null, secret: string): Endpoints {
  if (url === null) return { get: () => undefined, all: () => [] };
  const endpoint: Endpoint = { id: configuredEndpointId, url: new URL(url), secrets: [secret], eventTypes: cutterServerEvents };
  return { get: (id) => (id === endpoint.id ? endpoint : undefined), all: () => [endpoint] };
}
