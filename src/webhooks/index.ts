/** Webhooks: signed, durable, retried messages to receivers outside. For receivers: docs/webhooks.md. */
export { configuredEndpointId, configuredEndpoints, cutterServerEvents, type Endpoint, type Endpoints } from './endpoints.ts';
export { secretOf } from './signing.ts';
export { createWebhooks, type DeadLetter, type WebhookCounters, type Webhooks, type WebhooksOptions, type WebhookWarning } from './webhooks.ts';
export { webhookTables } from './records.ts';
